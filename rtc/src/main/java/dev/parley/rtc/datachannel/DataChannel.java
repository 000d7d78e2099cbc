package dev.parley.rtc.datachannel;

import dev.parley.rtc.sctp.Reliability;

/** One data channel, RFC 8831 6.4. Owned by {@link DataChannels}. */
public final class DataChannel {
    /** As in W3C's RTCDataChannelState. */
    public enum State {
        /** Ours, and the peer has not confirmed it yet. Messages may be sent already. */
        CONNECTING,
        OPEN,
        /** Being closed from our side. */
        CLOSING,
        CLOSED
    }

    private final int id;
    private final String label;
    private final String protocol;
    private final boolean ordered;
    private final Reliability reliability;
    private State state;

    DataChannel(int id, DcepOpen terms, State state) {
        this.id = id;
        this.label = terms.label();
        this.protocol = terms.protocol();
        this.ordered = terms.ordered();
        this.reliability = terms.reliability();
        this.state = state;
    }

    /** SCTP stream, both ways. */
    public int id() {
        return id;
    }

    public String label() {
        return label;
    }

    public String protocol() {
        return protocol;
    }

    public boolean ordered() {
        return ordered;
    }

    public Reliability reliability() {
        return reliability;
    }

    public State state() {
        return state;
    }

    void state(State next) {
        state = next;
    }

    @Override
    public String toString() {
        return id + " '" + label + "' " + state;
    }
}
