package dev.parley.rtc.ice;

/**
 * Where a packet came from and where an answer goes: the client, the public address it used, and
 * the relay that carried it. Mutable: a loop fills one per datagram, a session copies those it
 * keeps. Addresses are 16 bytes as two longs, IPv4 being IPv4-mapped.
 *
 * <p>Client and proxy address make the candidate pair as the client sees it. The relay is only the
 * way there and may change under a pair.
 */
public final class IcePath {
    private long clientHigh;
    private long clientLow;
    private int clientPort;
    private long proxyHigh;
    private long proxyLow;
    private int proxyPort;
    private long relayHigh;
    private long relayLow;
    private int relayPort;

    /** Sets who sent the packet. */
    public IcePath client(long high, long low, int port) {
        clientHigh = high;
        clientLow = low;
        clientPort = port;
        return this;
    }

    /** Sets the public address that the client used; zeros when there is no relay. */
    public IcePath proxy(long high, long low, int port) {
        proxyHigh = high;
        proxyLow = low;
        proxyPort = port;
        return this;
    }

    /** Sets where the relay's packet came from; zeros when there is no relay. */
    public IcePath relay(long high, long low, int port) {
        relayHigh = high;
        relayLow = low;
        relayPort = port;
        return this;
    }

    public long clientHigh() {
        return clientHigh;
    }

    public long clientLow() {
        return clientLow;
    }

    public int clientPort() {
        return clientPort;
    }

    public long proxyHigh() {
        return proxyHigh;
    }

    public long proxyLow() {
        return proxyLow;
    }

    public int proxyPort() {
        return proxyPort;
    }

    public long relayHigh() {
        return relayHigh;
    }

    public long relayLow() {
        return relayLow;
    }

    public int relayPort() {
        return relayPort;
    }

    /** Whether the client is reached without a relay and without a client header. */
    public boolean isDirect() {
        return relayPort == 0;
    }

    /** Whether both have one client address, by whichever public address and relay. */
    public boolean isSameClient(IcePath other) {
        return clientLow == other.clientLow
                && clientPort == other.clientPort
                && clientHigh == other.clientHigh;
    }

    /** Whether both are one candidate pair, by whichever relay. */
    public boolean isSamePair(IcePath other) {
        return isSameClient(other)
                && proxyLow == other.proxyLow
                && proxyPort == other.proxyPort
                && proxyHigh == other.proxyHigh;
    }

    /** Becomes what the other one is. */
    public void copy(IcePath other) {
        client(other.clientHigh, other.clientLow, other.clientPort);
        proxy(other.proxyHigh, other.proxyLow, other.proxyPort);
        relay(other.relayHigh, other.relayLow, other.relayPort);
    }

    void takeRelayOf(IcePath other) {
        relay(other.relayHigh, other.relayLow, other.relayPort);
    }
}
