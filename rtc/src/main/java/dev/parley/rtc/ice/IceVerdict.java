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
    /** The client's answer to a check of ours: what we send along that path arrives. */
    PROVEN(true),
    /**
     * An answer to a check that we did not make or that was answered before, or that is damaged or
     * not the client's. Dropped.
     */
    PROVES_NOTHING(false),
    /** A Binding indication, which only keeps NAT bindings open; nothing to do. */
    KEEPALIVE(false),
    /** None of the above. Dropped. */
    NOT_A_CHECK(false),
    /** USERNAME is missing, has no colon, or is meant for another session. Dropped. */
    WRONG_USERNAME(false),
    /** FINGERPRINT is there and does not fit. Dropped. */
    WRONG_FINGERPRINT(false),
    /** MESSAGE-INTEGRITY is missing or made with another password. Dropped. */
    WRONG_INTEGRITY(false);

    private final boolean authentic;

    IceVerdict(boolean authentic) {
        this.authentic = authentic;
    }

    /** Whether the message was authenticated: a check, which was answered, or such an answer. */
    public boolean isAuthentic() {
        return authentic;
    }
}
