package dev.parley.rtc.ice;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.stun.StunIntegrity;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;

/** A lite session and the checks that reach it, made as a client of one generation makes them. */
final class LiteChecks {
    static final long SECOND = 1_000_000_000L;
    // The clock may overflow in the middle of a call.
    static final long START = Math.subtractExact(Long.MAX_VALUE, SECOND);
    static final IceCredentials FIRST = new IceCredentials("ufragFirst", "first".repeat(5));
    static final IceCredentials SECOND_ONE = new IceCredentials("ufragSecond", "later".repeat(5));
    static final IceCredentials THIRD = new IceCredentials("ufragThird", "third".repeat(5));
    static final IcePath WIFI = path(1);
    static final IcePath MOBILE = path(2);

    /** The client's own, whatever the generation. */
    static final IceCredentials CLIENT = new IceCredentials("client", "client".repeat(4));

    final IceLite ice = new IceLite(FIRST, CLIENT, 30 * SECOND, new Random(1));
    private final StunWriter writer = new StunWriter();
    private final StunReader reader = new StunReader();
    private final ByteBuffer out = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
    private long nextId = 1;

    /** A check of a new transaction. */
    byte[] check(IceCredentials with, boolean nominates) {
        return check(with, nominates, _ -> {});
    }

    /** The same with more attributes, in front of the integrity. */
    byte[] check(IceCredentials with, boolean nominates, Consumer<StunWriter> more) {
        ByteBuffer in = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
        writer.bindingRequest(in, 0, 7, nextId++)
                .username(with.ufrag() + ":client")
                .iceControlling(5)
                .priority(1);
        if (nominates) {
            writer.useCandidate();
        }
        more.accept(writer);
        int length =
                writer.integrity(StunIntegrity.shortTerm(with.password())).fingerprint().length();
        return Arrays.copyOf(in.array(), length);
    }

    IceVerdict nominate(IceCredentials with, IcePath from, long nowNanos) {
        return handle(check(with, true), from, nowNanos);
    }

    IceVerdict probe(IceCredentials with, IcePath from, long nowNanos) {
        return handle(check(with, false), from, nowNanos);
    }

    IceVerdict handle(byte[] message, IcePath from, long nowNanos) {
        assertThat(reader.wrap(ByteBuffer.wrap(message), 0, message.length)).isTrue();
        return ice.handle(reader, from, nowNanos, out, 0);
    }

    /** The session's own check that is due, empty for none. */
    byte[] ownCheck(long nowNanos) {
        int length = ice.pollCheck(nowNanos, out, 0);
        return Arrays.copyOf(out.array(), length);
    }

    /** What a client with this password answers to a check of the session. */
    byte[] answer(byte[] ownCheck, String password) {
        assertThat(reader.wrap(ByteBuffer.wrap(ownCheck), 0, ownCheck.length)).isTrue();
        ByteBuffer answer = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
        int length =
                writer.bindingSuccess(answer, 0, reader)
                        .xorMappedAddress(0, 0xFFFF_CB00_710AL, 3478)
                        .integrity(StunIntegrity.shortTerm(password))
                        .fingerprint()
                        .length();
        return Arrays.copyOf(answer.array(), length);
    }

    /** The client answers the session's check that is due, from where it was sent. */
    IceVerdict prove(IcePath path, long nowNanos) {
        return handle(answer(ownCheck(nowNanos), CLIENT.password()), path, nowNanos);
    }

    /** The last answer. */
    StunReader answer() {
        assertThat(reader.wrap(out, 0, ice.answerLength())).isTrue();
        return reader;
    }

    /** Whether the last answer is a success that is signed with this password. */
    boolean answeredWith(IceCredentials credentials) {
        return reader.wrap(out, 0, ice.answerLength())
                && reader.isBindingSuccess()
                && StunIntegrity.shortTerm(credentials.password()).verifies(reader);
    }

    boolean isSelected(IcePath path) {
        return requireNonNull(ice.findSelected()).isSamePair(path);
    }

    static IcePath path(int host) {
        return new IcePath()
                .client(0, 0xFFFF_C633_6400L + host, 50_000 + host)
                .proxy(0, 0xFFFF_CB00_710AL, 3478)
                .relay(0, 0xFFFF_0A00_0001L, 40_000);
    }
}
