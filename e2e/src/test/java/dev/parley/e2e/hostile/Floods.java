package dev.parley.e2e.hostile;

import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.route.ClientHeader;
import dev.parley.rtc.stun.StunIntegrity;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Attacks of those who can do nothing but send datagrams, from addresses that are not theirs. */
final class Floods {
    static final int PER_SECOND = 20_000;
    private static final String ICE_CHARS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    private static final int TOKEN_CHARS = 50;

    /** Version 1, IPv4 and key 5, as the first characters of a token say them. */
    private static final String TOKEN_START = "JQ";

    private static final int LARGEST = 65_507;
    private static final int LOOPBACK_MAPPED = 0xFFFF;

    final Random random = new Random(1);
    private final StunWriter stun = new StunWriter();

    /** STUN of every kind but the right one. */
    static Attack stun() {
        return attack(
                (floods, target, into) -> {
                    switch (floods.random.nextInt(4)) {
                        case 0 -> floods.request(into, floods.token(), "any");
                        case 1 ->
                                floods.request(
                                        into, floods.letters(floods.random.nextInt(200)), "any");
                        case 2 -> floods.broken(into, target.stolenUsername());
                        default -> floods.check(into, target);
                    }
                });
    }

    /** Tokens that look like ours, each with a route that would be somebody's. */
    static Attack tokens() {
        return attack((floods, _, into) -> floods.request(into, floods.token(), "any"));
    }

    /** Checks of an overheard call, whose password is guessed. */
    static Attack stolenUfrags() {
        return attack((floods, target, into) -> floods.check(into, target));
    }

    /** Hellos out of the blue. */
    static Attack hellos() {
        return attack((floods, _, into) -> floods.hello(into));
    }

    /** RTP and RTCP out of the blue. */
    static Attack media() {
        return attack((floods, _, into) -> floods.media(into));
    }

    /** Datagrams of every length that there is, and of every kind. */
    static Attack lengths() {
        return attack(
                (floods, _, into) -> {
                    int length =
                            switch (floods.random.nextInt(8)) {
                                case 0 -> 0;
                                case 1 -> LARGEST;
                                case 2 -> 1_473 + floods.random.nextInt(8_000);
                                default -> floods.random.nextInt(64);
                            };
                    floods.noise(into, length);
                });
    }

    /** Everything at once. */
    static Attack all() {
        return attack(mixed());
    }

    /** Where transceivers send, from addresses that are no transceivers'. */
    static Attack upstream() {
        return (target, going) -> {
            Floods floods = new Floods();
            target.sockets().flood(target.relayUpstream(), PER_SECOND, floods::header, going);
        };
    }

    /** What a mixed flood is made of. */
    static Kind mixed() {
        return (floods, target, into) -> {
            switch (floods.random.nextInt(7)) {
                case 0 -> floods.request(into, floods.token(), "any");
                case 1 -> floods.check(into, target);
                case 2 -> floods.broken(into, target.stolenUsername());
                case 3 -> floods.hello(into);
                case 4 -> floods.media(into);
                case 5 -> floods.header(into);
                default -> floods.noise(into, floods.random.nextInt(1_400));
            }
        };
    }

    /** Writes one datagram. */
    interface Kind {
        void write(Floods floods, Target target, ByteBuffer into);
    }

    private static Attack attack(Kind kind) {
        return (target, going) -> {
            Floods floods = new Floods();
            target.sockets()
                    .flood(
                            target.relay(),
                            PER_SECOND,
                            into -> kind.write(floods, target, into),
                            going);
        };
    }

    private String letters(int count) {
        StringBuilder text = new StringBuilder(count);
        for (int i = 0; i < count; i++) {
            text.append(ICE_CHARS.charAt(random.nextInt(ICE_CHARS.length())));
        }
        return text.toString();
    }

    private String token() {
        return TOKEN_START + letters(TOKEN_CHARS - TOKEN_START.length());
    }

    private void request(ByteBuffer into, String ufrag, String client) {
        check(into, ufrag + ":" + client, IceCredentials.random(random));
    }

    void check(ByteBuffer into, Target target) {
        check(into, target.stolenUsername(), target.guessed(random));
    }

    private void check(ByteBuffer into, String username, IceCredentials guessed) {
        StunWriter message =
                stun.bindingRequest(into, 0, random.nextInt(), random.nextLong())
                        .username(username)
                        .priority(1)
                        .iceControlling(random.nextLong())
                        .useCandidate()
                        .integrity(StunIntegrity.shortTerm(guessed.password()))
                        .fingerprint();
        into.position(message.length());
    }

    // Right up to a point.
    private void broken(ByteBuffer into, String username) {
        check(into, username, IceCredentials.random(random));
        int length = into.position();
        into.put(random.nextInt(length), (byte) random.nextInt());
        into.position(random.nextInt(length));
    }

    void hello(ByteBuffer into) {
        // RFC 6347 4.1: a record of a handshake, DTLS 1.2, first epoch; RFC 6347 4.2.2:
        // ClientHello.
        byte[] body = new byte[200];
        random.nextBytes(body);
        into.put((byte) 22)
                .putShort((short) 0xFEFD)
                .putShort((short) 0)
                .putShort((short) 0)
                .putInt(random.nextInt(4))
                .putShort((short) (12 + body.length))
                .put((byte) 1)
                .put((byte) 0)
                .putShort((short) body.length)
                .putShort((short) 0)
                .put(new byte[3])
                .put((byte) 0)
                .putShort((short) body.length)
                .put(body);
    }

    void media(ByteBuffer into) {
        byte[] body = new byte[20 + random.nextInt(160)];
        random.nextBytes(body);
        into.put((byte) 0x80)
                .put((byte) (random.nextBoolean() ? 111 : 200 + random.nextInt(8)))
                .putShort((short) random.nextInt())
                .putInt(random.nextInt())
                .putInt(random.nextInt())
                .put(body);
    }

    private void header(ByteBuffer into) {
        ClientHeader.write(
                into,
                0,
                0,
                (long) LOOPBACK_MAPPED << 32 | 0x7F000101L,
                1_024 + random.nextInt(60_000),
                0,
                (long) LOOPBACK_MAPPED << 32 | 0x7F000001L,
                3_478);
        into.position(ClientHeader.LENGTH);
        into.put("strangers should not get this".getBytes(StandardCharsets.US_ASCII));
    }

    void noise(ByteBuffer into, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        into.put(bytes);
    }
}
