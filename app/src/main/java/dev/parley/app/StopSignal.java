package dev.parley.app;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.CountDownLatch;

/**
 * Turns the first SIGINT or SIGTERM into an orderly stop and the second into an immediate one. A
 * shutdown hook could not see the second; {@code sun.misc.Signal} can, and is reached by name
 * because the compiler warns of it beyond silencing.
 */
final class StopSignal {
    private static final int EXIT_KILLED_BY_SIGNAL = 143;

    private volatile CountDownLatch requested = new CountDownLatch(1);

    private StopSignal() {}

    static StopSignal install() {
        StopSignal stop = new StopSignal();
        handle("INT", stop::received);
        handle("TERM", stop::received);
        return stop;
    }

    /** Has SIGHUP do this, on a thread of the JVM's. */
    static void onHangup(Runnable reload) {
        handle("HUP", reload);
    }

    private static void handle(String name, Runnable received) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            MethodHandle run =
                    MethodHandles.publicLookup()
                            .findVirtual(Runnable.class, "run", MethodType.methodType(void.class))
                            .bindTo(received);
            Object handler =
                    MethodHandleProxies.asInterfaceInstance(
                            handlerType, MethodHandles.dropArguments(run, 0, signal));
            Object installed = signal.getConstructor(String.class).newInstance(name);
            var _ =
                    signal.getMethod("handle", signal, handlerType)
                            .invoke(null, installed, handler);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM has no sun.misc.Signal", e);
        }
    }

    private synchronized void received() {
        if (requested.getCount() == 0) {
            Runtime.getRuntime().halt(EXIT_KILLED_BY_SIGNAL);
        }
        requested.countDown();
    }

    /**
     * The stop was revoked: the next signal is a first one again. Called before anybody is told so;
     * a signal that comes before the process has noticed begins another stop.
     */
    synchronized void rearm() {
        requested = new CountDownLatch(1);
    }

    void await() {
        try {
            requested.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
