package dev.parley.inferencestub;

import io.grpc.Status;

/**
 * Ends a stream whose client broke the contract. An exception, because a message is checked several
 * calls below the one place that closes the stream; it carries no stack trace, as it is no bug.
 */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final Misuse kind;
    private final transient Status status;

    Refusal(Misuse kind, Status status) {
        super(status.getDescription(), null, false, false);
        this.kind = kind;
        this.status = status;
    }

    Misuse kind() {
        return kind;
    }

    Status status() {
        return status;
    }
}
