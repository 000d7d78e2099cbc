/* What libnice needs of libgupnp-igd to be loaded, without doing anything: no call opens ports of a router. */
void *gupnp_simple_igd_thread_new(void) { return 0; }
unsigned long gupnp_simple_igd_get_type(void) { return 0; }
void gupnp_simple_igd_add_port(void) {}
void gupnp_simple_igd_remove_port_local(void) {}
