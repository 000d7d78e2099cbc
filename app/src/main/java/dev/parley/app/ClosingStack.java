package dev.parley.app;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Services in the order they were started; closes the last one first and every one whatever another
 * does.
 */
final class ClosingStack implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ClosingStack.class.getName());

    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    <S extends AutoCloseable> S push(S service) {
        started.push(service);
        return service;
    }

    @Override
    public void close() {
        while (!started.isEmpty()) {
            AutoCloseable service = started.pop();
            try {
                service.close();
            } catch (Exception e) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        service.getClass().getSimpleName() + " did not stop cleanly",
                        e);
            }
        }
    }
}
