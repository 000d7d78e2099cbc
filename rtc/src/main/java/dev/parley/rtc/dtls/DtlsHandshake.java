package dev.parley.rtc.dtls;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import org.bouncycastle.tls.AlertDescription;
import org.bouncycastle.tls.DTLSClientProtocol;
import org.bouncycastle.tls.DTLSServerProtocol;
import org.bouncycastle.tls.DTLSTransport;
import org.bouncycastle.tls.TlsFatalAlertReceived;
import org.bouncycastle.tls.TlsTimeoutException;

/**
 * Runs DTLS 1.2 handshakes that key SRTP, RFC 5764, or carry data channels alone. Immutable; a
 * process makes one and runs any number of handshakes with it, each on a thread of its own.
 *
 * <p>There is no cookie exchange (RFC 6347 4.2.1): run this only for a peer whose address an
 * authenticated ICE check has proved.
 */
public final class DtlsHandshake {
    /**
     * First wait in milliseconds before a flight is sent again; it doubles twice, and a flight goes
     * out again each second from then on. RFC 6347 4.2.4.1 proposes a second, and a minute at most;
     * that is for strangers, and a caller who waits hears silence.
     */
    public static final int DEFAULT_RESEND_MILLIS = 250;

    private final GuardedCrypto crypto;
    private final HandshakeTimes times;
    private final boolean falseStart;

    /**
     * @param timeoutMillis the longest that a whole handshake may take, more than zero
     * @param resendMillis first wait before a flight is sent again, more than zero
     */
    public DtlsHandshake(SecureRandom random, int timeoutMillis, int resendMillis) {
        this(new GuardedCrypto(random), new HandshakeTimes(timeoutMillis, resendMillis), true);
    }

    private DtlsHandshake(GuardedCrypto crypto, HandshakeTimes times, boolean falseStart) {
        this.crypto = crypto;
        this.times = times;
        this.falseStart = falseStart;
    }

    /** The same, but nobody ever hears of keys before the end. */
    public DtlsHandshake withoutFalseStart() {
        return new DtlsHandshake(crypto, times, false);
    }

    /**
     * Runs one handshake to its end. Blocks in {@link DatagramLink#receive} between flights, for
     * the whole timeout at most if that keeps to its waits.
     *
     * @param expected what the peer's offer says of its certificate: one that we {@link
     *     Fingerprint#isSupported support} must match
     */
    public DtlsOutcome run(
            DtlsRole role, DtlsIdentity identity, List<Fingerprint> expected, DatagramLink link) {
        return run(role, identity, expected, true, link, FalseStart.NONE);
    }

    /**
     * The same for associations that may be about data channels alone.
     *
     * @param srtp whether media is to be keyed, without which there is no association then. If not,
     *     use_srtp is neither offered nor answered: stacks without media do not know it.
     * @param early told of the keys before the end where that is safe: as a client, with the suites
     *     and the extension of RFC 7918 4
     */
    public DtlsOutcome run(
            DtlsRole role,
            DtlsIdentity identity,
            List<Fingerprint> expected,
            boolean srtp,
            DatagramLink link,
            FalseStart early) {
        FalseStart told = falseStart ? early : FalseStart.NONE;
        var negotiation = new DtlsNegotiation(crypto, times, identity, expected, srtp, told);
        var transport = new PackedTransport(link, times.repeatMillis(), negotiation::flightLeft);
        try {
            DTLSTransport connected = run(role, negotiation, transport);
            transport.stopPacking();
            return negotiation.connected(role, new DtlsSession(connected, transport));
        } catch (IOException e) {
            DtlsOutcome.Failed failure = negotiation.findFailure();
            return failure != null ? failure : failed(e);
        }
    }

    private DTLSTransport run(DtlsRole role, DtlsNegotiation negotiation, PackedTransport transport)
            throws IOException {
        return switch (role) {
            case CLIENT -> new DTLSClientProtocol().connect(new ClientPeer(negotiation), transport);
            case SERVER -> new DTLSServerProtocol().accept(new ServerPeer(negotiation), transport);
        };
    }

    private DtlsOutcome.Failed failed(IOException e) {
        return switch (e) {
            case TlsTimeoutException _ ->
                    new DtlsOutcome.Failed(
                            DtlsFailure.TIMEOUT,
                            "No handshake within " + times.timeoutMillis() + " ms");
            case PackedTransport.LinkClosedException _ ->
                    new DtlsOutcome.Failed(DtlsFailure.CANCELLED, "The link was closed");
            case TlsFatalAlertReceived alert -> refused(alert);
            default -> new DtlsOutcome.Failed(DtlsFailure.PROTOCOL, describe(e));
        };
    }

    static DtlsOutcome.Failed refused(TlsFatalAlertReceived alert) {
        return new DtlsOutcome.Failed(
                DtlsFailure.REFUSED_BY_PEER,
                "The peer sent the alert " + AlertDescription.getText(alert.getAlertDescription()));
    }

    // An internal_error alert says nothing; what made Bouncy Castle raise it does.
    static String describe(IOException e) {
        return e.getCause() == null ? e.toString() : e + ", since " + e.getCause();
    }
}
