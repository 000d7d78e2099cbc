package dev.parley.bench.soak;

/**
 * What a process holds beside live objects.
 *
 * @param residentMib of the whole process
 * @param threads of the operating system
 * @param descriptors open files and sockets
 */
record Holdings(double residentMib, int threads, long descriptors) {}
