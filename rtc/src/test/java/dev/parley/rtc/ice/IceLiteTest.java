package dev.parley.rtc.ice;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.stun.StunIntegrity;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class IceLiteTest {
    private static final long SECOND = 1_000_000_000L;
    // The clock may overflow in the middle of a call.
    private static final long START = Math.subtractExact(Long.MAX_VALUE, SECOND);
    private static final IceCredentials LOCAL =
            new IceCredentials("serverUfrag", "serverPasswordServerPassword");
    private static final IceCredentials REMOTE =
            new IceCredentials("clientUfrag", "clientPasswordClientPassword");
    private static final IcePath WIFI = path(1);
    private static final IcePath MOBILE = path(2);

    private final IceLite ice = new IceLite(LOCAL, REMOTE, 30 * SECOND, new Random(1));
    private final StunIntegrity key = StunIntegrity.shortTerm(LOCAL.password());
    private final StunWriter writer = new StunWriter();
    private final StunReader request = new StunReader();
    private final StunReader answer = new StunReader();
    private final ByteBuffer in = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
    private final ByteBuffer out = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
    private long nextId = 1;

    @Test
    void answersAnAuthenticatedCheckWithTheAddressItCameFrom() {
        assertThat(handle(sign(check()), WIFI, START)).isEqualTo(IceVerdict.SELECTED);

        assertThat(answer.wrap(out, 0, ice.answerLength())).isTrue();
        assertThat(answer.isBindingSuccess()).isTrue();
        assertThat(answer.transactionIdLow()).isEqualTo(request.transactionIdLow());
        assertThat(answer.xorMappedAddressHigh()).isZero();
        assertThat(answer.xorMappedAddressLow()).isEqualTo(WIFI.clientLow());
        assertThat(answer.xorMappedPort()).isEqualTo(WIFI.clientPort());
        assertThat(key.verifies(answer)).isTrue();
        assertThat(answer.hasValidFingerprint()).isTrue();
    }

    @Test
    void answersChecksThatLackPriorityAndRole() {
        int length =
                sign(writer.bindingRequest(in, 0, 7, nextId++).username("serverUfrag:clientUfrag"));

        assertThat(handle(length, WIFI, START)).isEqualTo(IceVerdict.SELECTED);
    }

    @Test
    void answersARetransmittedCheckAlike() {
        int length = sign(check());
        handle(length, WIFI, START);
        byte[] first = answerBytes();

        assertThat(handle(length, WIFI, START + SECOND)).isEqualTo(IceVerdict.REPEATED);
        assertThat(answerBytes()).isEqualTo(first);
    }

    @Test
    void usesTheFirstCheckedPathUntilOneIsNominated() {
        handle(sign(check()), WIFI, START);
        handle(sign(check()), MOBILE, START);
        assertThat(selectedClient()).isEqualTo(WIFI.clientLow());

        assertThat(handle(sign(check().useCandidate()), MOBILE, START))
                .isEqualTo(IceVerdict.SELECTED);
        assertThat(selectedClient()).isEqualTo(MOBILE.clientLow());
    }

    @Test
    void followsTheLastNominationHoweverLate() {
        handle(sign(check().useCandidate()), WIFI, START);
        handle(sign(check().useCandidate()), MOBILE, START + 1);
        assertThat(selectedClient()).isEqualTo(MOBILE.clientLow());

        handle(sign(check()), WIFI, START + 2);
        assertThat(selectedClient()).isEqualTo(MOBILE.clientLow());

        handle(sign(check().useCandidate()), WIFI, START + 20 * SECOND);
        assertThat(selectedClient()).isEqualTo(WIFI.clientLow());
    }

    @Test
    void saysSelectedOnlyWhenThePathChanges() {
        assertThat(handle(sign(check().useCandidate()), WIFI, START))
                .isEqualTo(IceVerdict.SELECTED);
        assertThat(handle(sign(check().useCandidate()), WIFI, START + SECOND))
                .isEqualTo(IceVerdict.ANSWERED);
        assertThat(handle(sign(check()), WIFI, START + 20 * SECOND)).isEqualTo(IceVerdict.ANSWERED);
    }

    @Test
    void hearsNothingOnAPathWhoseConsentHasEnded() {
        handle(sign(check().useCandidate()), WIFI, START);

        assertThat(ice.isValid(WIFI, START + 30 * SECOND - 1)).isTrue();
        assertThat(ice.isValid(WIFI, START + 30 * SECOND)).isFalse();
        ice.heard(WIFI, 100, START + 30 * SECOND);
        assertThat(ice.isValid(WIFI, START + 30 * SECOND)).isFalse();
        assertThat(ice.silentNanos(WIFI, START + 30 * SECOND)).isEqualTo(30 * SECOND);
    }

    @Test
    void keepsTheNominatedPathWhileItIsHeard() {
        handle(sign(check().useCandidate()), WIFI, START);
        ice.heard(WIFI, 100, START + 7 * SECOND);

        assertThat(handle(sign(check()), MOBILE, START + 14 * SECOND))
                .isEqualTo(IceVerdict.ANSWERED);
        assertThat(selectedClient()).isEqualTo(WIFI.clientLow());
    }

    @Test
    void followsAReboundClientThatDoesNotNominateAnew() {
        handle(sign(check().useCandidate()), WIFI, START);

        assertThat(handle(sign(check()), MOBILE, START + 7 * SECOND))
                .isEqualTo(IceVerdict.ANSWERED);
        assertThat(handle(sign(check()), MOBILE, START + 8 * SECOND))
                .isEqualTo(IceVerdict.SELECTED);
    }

    @Test
    void answersThroughTheRelayThatLastDeliveredSomethingAuthenticated() {
        handle(sign(check().useCandidate()), WIFI, START);
        IcePath otherRelay = path(1).relay(0, 0xFFFF_0A00_0063L, 9);

        handle(sign(check()), otherRelay, START);
        assertThat(selected().relayLow()).isEqualTo(0xFFFF_0A00_0063L);
        assertThat(ice.pathCount()).isOne();

        ice.heard(WIFI, 100, START);
        assertThat(selected().relayLow()).isEqualTo(WIFI.relayLow());
    }

    @Test
    void keepsTwoPublicAddressesOfOneClientApart() {
        handle(sign(check().useCandidate()), WIFI, START);
        IcePath otherProxy = path(1).proxy(0, 0xFFFF_CB00_7199L, 3478);

        handle(sign(check()), otherProxy, START);

        assertThat(ice.pathCount()).isEqualTo(2);
        assertThat(selected().proxyLow()).isEqualTo(WIFI.proxyLow());
    }

    @Test
    void mediaMovesNothing() {
        handle(sign(check().useCandidate()), WIFI, START);
        handle(sign(check()), MOBILE, START);

        assertThat(ice.heard(MOBILE, 100, START + 20 * SECOND)).isFalse();
        assertThat(ice.heard(path(3), 100, START + 20 * SECOND)).isFalse();
        assertThat(selectedClient()).isEqualTo(WIFI.clientLow());
        assertThat(ice.pathCount()).isEqualTo(2);
    }

    @Test
    void followsMediaWithACheckThatCameAfterTheOldPathFellSilent() {
        handle(sign(check().useCandidate()), WIFI, START);
        ice.heard(WIFI, 100, START + SECOND);
        handle(sign(check()), MOBILE, START + SECOND + 1);

        long left = START + SECOND + IceLite.LEFT_PATH_NANOS;
        assertThat(ice.heard(MOBILE, 100, left - 1)).isFalse();
        assertThat(selectedClient()).isEqualTo(WIFI.clientLow());
        assertThat(ice.heard(MOBILE, 100, left)).isTrue();
        assertThat(selectedClient()).isEqualTo(MOBILE.clientLow());
        // What is still on its way from the old path moves nothing back.
        assertThat(ice.heard(WIFI, 100, left + 2 * SECOND)).isFalse();
        assertThat(selectedClient()).isEqualTo(MOBILE.clientLow());
    }

    @Test
    void dropsAWrongPasswordWithoutAnswerOrEffect() {
        handle(sign(check().useCandidate()), WIFI, START);
        int length =
                check().useCandidate()
                        .integrity(StunIntegrity.shortTerm(REMOTE.password()))
                        .fingerprint()
                        .length();

        assertThat(handle(length, MOBILE, START + SECOND)).isEqualTo(IceVerdict.WRONG_INTEGRITY);
        assertThat(ice.answerLength()).isZero();
        assertThat(selectedClient()).isEqualTo(WIFI.clientLow());
        assertThat(ice.pathCount()).isOne();
        assertThat(ice.consentDeadlineNanos(START)).isEqualTo(START + 30 * SECOND);
    }

    @Test
    void dropsAMissingIntegrity() {
        assertThat(handle(check().fingerprint().length(), WIFI, START))
                .isEqualTo(IceVerdict.WRONG_INTEGRITY);
        assertThat(ice.answerLength()).isZero();
    }

    @Test
    void dropsAnotherSessionsUsername() {
        for (String username :
                new String[] {
                    "serverUfra:clientUfrag",
                    "serverUfragg:clientUfrag",
                    "ServerUfrag:clientUfrag",
                    "serverUfrag",
                    ":serverUfrag",
                    ""
                }) {
            int length = sign(writer.bindingRequest(in, 0, 7, nextId++).username(username));
            assertThat(handle(length, WIFI, START))
                    .as(username)
                    .isEqualTo(IceVerdict.WRONG_USERNAME);
        }
        assertThat(handle(sign(writer.bindingRequest(in, 0, 7, 8)), WIFI, START))
                .isEqualTo(IceVerdict.WRONG_USERNAME);
    }

    @Test
    void dropsAWrongFingerprint() {
        int length = sign(check());
        in.put(length - 1, (byte) (in.get(length - 1) ^ 1));

        assertThat(handle(length, WIFI, START)).isEqualTo(IceVerdict.WRONG_FINGERPRINT);
    }

    @Test
    void answersNoDamagedCheckUnlessOnlyItsFingerprintIsGone() {
        int length = sign(check().useCandidate());
        byte[] whole = new byte[length];
        in.get(0, whole);
        for (int bit = 0; bit < length * 8; bit++) {
            in.put(0, whole);
            in.put(bit / 8, (byte) (whole[bit / 8] ^ (1 << (bit % 8))));
            if (request.wrap(in, 0, length)) {
                IceVerdict verdict = ice.handle(request, WIFI, START, out, 0);
                // The integrity covers all in front of FINGERPRINT, whose type may turn into
                // another.
                boolean fingerprintType = bit / 8 == length - 8 || bit / 8 == length - 7;
                assertThat(verdict.isAuthentic()).as("bit %d", bit).isEqualTo(fingerprintType);
            }
        }
    }

    @Test
    void ignoresWhatStandsBehindTheIntegrity() {
        int length = check().integrity(key).useCandidate().iceControlled(1).fingerprint().length();
        handle(sign(check()), WIFI, START);

        int again = check().integrity(key).useCandidate().iceControlled(1).fingerprint().length();

        assertThat(again).isEqualTo(length);
        assertThat(handle(again, MOBILE, START)).isEqualTo(IceVerdict.ANSWERED);
        assertThat(selectedClient()).isEqualTo(WIFI.clientLow());
    }

    @Test
    void answersARoleConflictWith487WhateverTheTieBreaker() {
        for (long tieBreaker : new long[] {0, 1, -1}) {
            int length =
                    sign(
                            writer.bindingRequest(in, 0, 7, nextId++)
                                    .username("serverUfrag:clientUfrag")
                                    .iceControlled(tieBreaker));

            assertThat(handle(length, WIFI, START)).isEqualTo(IceVerdict.ROLE_CONFLICT);
            assertThat(answer.wrap(out, 0, ice.answerLength())).isTrue();
            assertThat(answer.isBindingError()).isTrue();
            assertThat(answer.errorCode()).isEqualTo(487);
            assertThat(key.verifies(answer)).isTrue();
        }
        assertThat(ice.findSelected()).isNull();
    }

    @Test
    void answersUnknownComprehensionRequiredAttributesWith420() {
        byte[] value = {1, 2, 3};
        int length = sign(check().attribute(0x0077, value).attribute(0x7FFF, value).useCandidate());

        assertThat(handle(length, WIFI, START)).isEqualTo(IceVerdict.UNKNOWN_ATTRIBUTE);
        assertThat(answer.wrap(out, 0, ice.answerLength())).isTrue();
        assertThat(answer.errorCode()).isEqualTo(420);
        assertThat(answer.unknownAttributesCount()).isEqualTo(2);
        assertThat(answer.unknownAttribute(0)).isEqualTo(0x0077);
        assertThat(answer.unknownAttribute(1)).isEqualTo(0x7FFF);
        assertThat(key.verifies(answer)).isTrue();
        assertThat(ice.findSelected()).isNull();
    }

    @Test
    void overlooksUnknownComprehensionOptionalAttributes() {
        int length = sign(check().attribute(0xC057, new byte[] {0, 1, 0, 2}));

        assertThat(handle(length, WIFI, START)).isEqualTo(IceVerdict.SELECTED);
    }

    @Test
    void dropsResponsesAndLeavesIndicationsAlone() {
        sign(check());
        request.wrap(in, 0, sign(check()));
        int length = writer.bindingSuccess(out, 0, request).integrity(key).length();
        in.put(0, out, 0, length);
        assertThat(handle(length, WIFI, START)).isEqualTo(IceVerdict.PROVES_NOTHING);

        int indication = writer.bindingIndication(in, 0, 1, 2).fingerprint().length();
        assertThat(handle(indication, WIFI, START)).isEqualTo(IceVerdict.KEEPALIVE);
        assertThat(ice.answerLength()).isZero();
    }

    @Test
    void consentEndsThirtySecondsAfterTheLastCheckOnTheSelectedPath() {
        assertThat(ice.isConsentLost(START + 1_000 * SECOND)).isFalse();
        handle(sign(check().useCandidate()), WIFI, START);
        handle(sign(check()), WIFI, START + 5 * SECOND);
        ice.heard(WIFI, 100, START + 20 * SECOND);

        assertThat(ice.consentDeadlineNanos(START)).isEqualTo(START + 35 * SECOND);
        assertThat(ice.isConsentLost(START + 35 * SECOND - 1)).isFalse();
        assertThat(ice.isConsentLost(START + 35 * SECOND)).isTrue();
        assertThat(ice.isValid(WIFI, START + 35 * SECOND)).isFalse();
    }

    @Test
    void fallsBackToThePathCheckedLastWhenConsentEndsOnTheSelectedOne() {
        IcePath wired = path(3);
        handle(sign(check().useCandidate()), WIFI, START);
        handle(sign(check()), wired, START + SECOND);
        ice.heard(WIFI, 100, START + 25 * SECOND);
        handle(sign(check()), MOBILE, START + 26 * SECOND);
        assertThat(ice.isConsentLost(START + 30 * SECOND - 1)).isFalse();
        assertThat(selectedClient()).isEqualTo(WIFI.clientLow());

        assertThat(ice.isConsentLost(START + 30 * SECOND)).isFalse();
        assertThat(selectedClient()).isEqualTo(MOBILE.clientLow());
        assertThat(ice.consentDeadlineNanos(START)).isEqualTo(START + 56 * SECOND);
        assertThat(ice.isConsentLost(START + 56 * SECOND)).isTrue();
    }

    @Test
    void validatesOnlyThePathTheCheckCameOn() {
        handle(sign(check()), WIFI, START);

        assertThat(ice.isValid(WIFI, START)).isTrue();
        assertThat(ice.isValid(MOBILE, START)).isFalse();
    }

    @Test
    void forgetsTheLongestSilentPathButNeverTheSelectedOne() {
        handle(sign(check().useCandidate()), path(0), START);
        for (int i = 1; i < IceLite.MAX_PATHS; i++) {
            handle(sign(check()), path(i), START + i);
            assertThat(ice.pollForgotten()).isNull();
        }

        handle(sign(check()), path(99), START + 99);

        IcePath forgotten = ice.pollForgotten();
        assertThat(requireNonNull(forgotten).isSamePair(path(1))).isTrue();
        assertThat(ice.pollForgotten()).isNull();
        assertThat(ice.pathCount()).isEqualTo(IceLite.MAX_PATHS);
        assertThat(ice.isValid(path(0), START + 99)).isTrue();
        assertThat(ice.isValid(path(99), START + 99)).isTrue();
    }

    private StunWriter check() {
        return writer.bindingRequest(in, 0, 7, nextId++)
                .username("serverUfrag:clientUfrag")
                .iceControlling(5)
                .priority(1);
    }

    private int sign(StunWriter message) {
        return message.integrity(key).fingerprint().length();
    }

    private IceVerdict handle(int length, IcePath from, long nowNanos) {
        assertThat(request.wrap(in, 0, length)).isTrue();
        return ice.handle(request, from, nowNanos, out, 0);
    }

    private byte[] answerBytes() {
        byte[] bytes = new byte[ice.answerLength()];
        out.get(0, bytes);
        return bytes;
    }

    private long selectedClient() {
        return selected().clientLow();
    }

    private IcePath selected() {
        return requireNonNull(ice.findSelected());
    }

    private static IcePath path(int host) {
        return new IcePath()
                .client(0, 0xFFFF_C633_6400L + host, 50_000 + host)
                .proxy(0, 0xFFFF_CB00_710AL, 3478)
                .relay(0, 0xFFFF_0A00_0001L, 40_000);
    }
}
