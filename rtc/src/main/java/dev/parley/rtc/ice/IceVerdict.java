package dev.parley.rtc.ice;

/** What became of a STUN message that reached a session; a counter's label for each. */
public enum IceVerdict {
    /** An authenticated check, answered; the selected path is what it was. */
    ANSWERED(true),
    /** An authenticated check, answered; it made its path the selected one. */
    SELECTED(true),
    /**
     * An authenticated check whose transaction was seen before: answered alike, wherever it came
     * from, and of no other effect.
     */
    REPEATED(true),
    /** Authenticated and answered 487: the client took the controlled role, which is ours. */
    ROLE_CONFLICT(true),
    /** Authenticated and answered 420: it demands understanding of an attribute unknown here. */
    UNKNOWN_ATTRIBUTE(true),
    /** A Binding indication, which only keeps NAT bindings open; nothing to do. */
    KEEPALIVE(false),
    /** Neither a Binding request nor an indication. Dropped. */
    NOT_A_CHECK(false),
    /** USERNAME is missing, has no colon, or is meant for another session. Dropped. */
    WRONG_USERNAME(false),
    /** FINGERPRINT is there and does not fit. Dropped. */
    WRONG_FINGERPRINT(false),
    /** MESSAGE-INTEGRITY is missing or made with another password. Dropped. */
    WRONG_INTEGRITY(false);

    private final boolean answered;

    IceVerdict(boolean answered) {
        this.answered = answered;
    }

    /** Whether the message was authenticated and an answer to it was written. */
    public boolean isAnswered() {
        return answered;
    }
}
