package dev.parley.relay;

import java.util.Locale;

/**
 * Everything that can happen to a datagram. {@link RelayCounters} counts by these constants, so
 * none can be without its counter.
 */
enum Verdict {
    /** From a client, by the flow of its address. */
    UP_BY_FLOW(true),
    /** From a client, by its flow, to a relay of its transceiver's cluster. */
    UP_BY_LEG(true),
    /** A check from a new client address, by its token; a flow was made. */
    UP_NEW_FLOW(true),
    /**
     * The first check for a flow that was taken up from the relay before, the store or a
     * transceiver.
     */
    UP_SHOWN_FLOW(true),
    /** A check with another token than the flow's last one: the flow was pointed anew. */
    UP_MOVED_FLOW(true),
    /** A check by its token; no flow was made because the table is full. */
    UP_UNCACHED_TABLE_FULL(true),
    /** A check by its token; no flow was made because the session has too many addresses. */
    UP_UNCACHED_SESSION_FULL(true),
    /** Held until the store, a check or a transceiver told its client's flow. */
    UP_RECOVERED(true),
    /** To a client, by its flow. */
    DOWN_BY_FLOW(true),
    /**
     * To a client without a flow, on its transceiver's word, soon after the start of the relay that
     * the transceiver sent it to.
     */
    DOWN_RECOVERED(true),
    /** To a client, by its flow, over the relay of another cluster that it comes in by. */
    DOWN_BY_LEG(true),
    /** The same where that relay is not known, as after a start: the map tells who it may be. */
    DOWN_BY_MAP(true),
    /** A client's, from another cluster's relay, to a transceiver. */
    LEG_UP(true),
    /** The same; no flow was made, as the table is full or that relay has made none either. */
    LEG_UP_UNCACHED(true),
    /** A transceiver's, from a relay of its cluster, to a client by its flow. */
    LEG_DOWN(true),

    /**
     * From an address without a flow, kept while the store is asked; counted again when it ends.
     */
    UP_HELD(false),
    /** Another cluster's relay asks whether we are there; counted when it is answered. */
    LEG_PROBE(false),
    /** Another cluster's relay has answered. */
    LEG_ANSWER(false),

    /** First byte outside the ranges of RFC 7983, or shorter than its kind's header. */
    UP_UNKNOWN_KIND(false),
    /** A client header on the public side, where none belongs. */
    UP_CLIENT_HEADER(false),
    STUN_MALFORMED(false),
    /** A Binding request without a USERNAME, or without a colon in it. */
    STUN_WITHOUT_UFRAG(false),
    /** STUN other than a Binding request from an address without a flow. */
    STUN_WITHOUT_FLOW(false),
    /** DTLS, RTP or RTCP from an address without a flow. */
    MEDIA_WITHOUT_FLOW(false),
    /** Its address sent more than is held while the store is asked. */
    UP_HELD_TOO_MANY(false),
    /** Held until it was worth nothing. */
    UP_HELD_TOO_LONG(false),
    /** The store was asked for as many addresses as it may be. */
    UP_LOOKUP_LIMITED(false),
    /** The store did not answer, or with an error. */
    UP_LOOKUP_FAILED(false),
    /** The store has something that leads where no token may. */
    UP_LOOKUP_REFUSED(false),
    TOKEN_BAD_LENGTH(false),
    TOKEN_BAD_ALPHABET(false),
    TOKEN_BAD_VERSION(false),
    TOKEN_UNKNOWN_KEY(false),
    TOKEN_FORGED(false),
    /** The token leads to another cluster, which the map does not know or which has no relays. */
    TOKEN_OTHER_CLUSTER(false),
    /** The token leads to another cluster, which is down. */
    TOKEN_CLUSTER_DOWN(false),
    /** The token leads outside the configured transceiver ranges. */
    TOKEN_OUTSIDE_RANGES(false),

    /** From outside the configured transceiver ranges. */
    DOWN_OUTSIDE_RANGES(false),
    DOWN_BAD_HEADER(false),
    /** A client header and nothing behind it. */
    DOWN_EMPTY(false),
    /** The header names a public address that is not ours. */
    DOWN_UNKNOWN_PUBLIC_ADDRESS(false),
    /** The client has no flow, and the time to take flows up again is over. */
    DOWN_WITHOUT_FLOW(false),
    /** The client's flow leads to another transceiver. */
    DOWN_OTHER_TRANSCEIVER(false),
    /** The client has no flow, and too many were taken up again within this second. */
    DOWN_RECOVERY_LIMITED(false),
    /** The client has no flow, and the table is full. */
    DOWN_TABLE_FULL(false),

    /** Not a packet between relays, or one of another version. */
    LEG_MALFORMED(false),
    LEG_UNKNOWN_KEY(false),
    LEG_FORGED(false),
    /** Meant for another cluster. */
    LEG_OTHER_CLUSTER(false),
    /** Meant for another relay of this cluster, or another worker of this one. */
    LEG_OTHER_RELAY(false),
    /** Asked by a relay that the map does not have, and so not answered. */
    LEG_UNKNOWN_RELAY(false),
    /** Sent by this cluster, which has no legs to itself. */
    LEG_OWN_CLUSTER(false),
    /** Sent longer ago than clocks may differ, or in the future. */
    LEG_STALE(false),
    /** It came before. */
    LEG_REPLAYED(false),
    LEG_TOO_MANY_SENDERS(false),
    /** What follows the leg's header begins with no client header. */
    LEG_BAD_HEADER(false),
    /** It names a transceiver outside the configured ranges. */
    LEG_OUTSIDE_RANGES(false),
    /** It names more public addresses than there can be. */
    LEG_TOO_MANY_ADDRESSES(false),
    /** It would be longer than relays take with what is put in front between clusters. */
    LEG_TOO_LONG(false),
    /** Its way would go on over another leg. */
    LEG_LOOP(false),
    /**
     * For a client that comes in by another cluster's relay, which neither it nor the map tells.
     */
    DOWN_UNKNOWN_RELAY(false),

    /** Counted once more when the socket's send buffer had no room for a forwarded datagram. */
    LEG_UNSENT(false),
    /** Counted once more when the socket's send buffer had no room for a forwarded datagram. */
    UP_UNSENT(false),
    /** Counted once more when the socket's send buffer had no room for a forwarded datagram. */
    DOWN_UNSENT(false);

    private final boolean forwarded;

    Verdict(boolean forwarded) {
        this.forwarded = forwarded;
    }

    boolean isForwarded() {
        return forwarded;
    }

    boolean isDropped() {
        return switch (this) {
            case UP_HELD, LEG_PROBE, LEG_ANSWER -> false;
            default -> !forwarded;
        };
    }

    /** As metrics label it. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
