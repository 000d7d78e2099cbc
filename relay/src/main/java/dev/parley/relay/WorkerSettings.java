package dev.parley.relay;

/**
 * The numbers that a worker is built with.
 *
 * @param batch datagrams moved in one go
 * @param flowTimeoutNanos how long a flow lives without a packet
 * @param startNanos now
 */
record WorkerSettings(int batch, long flowTimeoutNanos, long startNanos) {}
