package dev.parley.bench.soak;

/**
 * What a process holds.
 *
 * @param heapMib objects on its heap right after a collection, those that concurrent ones made
 *     meanwhile included
 * @param residentMib of the whole process
 * @param threads of the operating system
 * @param descriptors open files and sockets
 */
record Holdings(double heapMib, double residentMib, int threads, long descriptors) {}
