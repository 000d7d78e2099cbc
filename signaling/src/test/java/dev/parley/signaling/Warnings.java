package dev.parley.signaling;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Every warning that the process logs while this is open. */
final class Warnings implements AutoCloseable {
    private static final Logger ROOT = Logger.getLogger("");

    private final Queue<String> messages = new ConcurrentLinkedQueue<>();
    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord message) {
                    if (message.getLevel().intValue() >= Level.WARNING.intValue()) {
                        messages.add(message.getLoggerName() + ": " + message.getMessage());
                    }
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    Warnings() {
        ROOT.addHandler(handler);
    }

    List<String> messages() {
        return List.copyOf(messages);
    }

    @Override
    public void close() {
        ROOT.removeHandler(handler);
    }
}
