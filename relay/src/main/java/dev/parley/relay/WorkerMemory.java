package dev.parley.relay;

/**
 * What a worker remembers by. Tens of megabytes, so it is made before the sockets are bound: what
 * comes while memory is cleared would wait.
 */
record WorkerMemory(FlowTable flows, HeldDatagrams held, UnknownSources unknown) {
    static WorkerMemory of(RelayConfig config, SeededHash hash) {
        return new WorkerMemory(
                new FlowTable(hash, config.maxFlows(), config.flowTimeout().toNanos()),
                new HeldDatagrams(),
                new UnknownSources());
    }
}
