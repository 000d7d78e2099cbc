package dev.parley.rtc.sdp;

import org.jspecify.annotations.Nullable;

/** Who begins the DTLS handshake, RFC 8842 5 and RFC 4145 4. */
public enum SdpSetup {
    /** Sends the ClientHello. */
    ACTIVE("active"),
    /** Waits for it. */
    PASSIVE("passive"),
    /** Either; only in offers. */
    ACTPASS("actpass");

    private final String text;

    SdpSetup(String text) {
        this.text = text;
    }

    static @Nullable SdpSetup find(String text) {
        for (SdpSetup setup : values()) {
            if (setup.text.equals(text)) {
                return setup;
            }
        }
        return null;
    }

    /**
     * What to answer to this offer. Active where there is a choice: it saves half a round trip and
     * the browser's large hello.
     */
    public SdpSetup answer() {
        return this == ACTIVE ? PASSIVE : ACTIVE;
    }

    /** As SDP spells it. */
    @Override
    public String toString() {
        return text;
    }
}
