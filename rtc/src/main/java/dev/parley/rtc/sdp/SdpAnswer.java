package dev.parley.rtc.sdp;

import dev.parley.rtc.ice.IceCredentials;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to an offer and what both have agreed on.
 *
 * @param text the SDP, under {@link #MAX_LENGTH} bytes
 * @param formats payload types of audio; {@link SdpFormats#WITHOUT_AUDIO} where none was offered
 * @param audioLevelId header extension id of the client's audio levels (RFC 6464), 0 for none
 * @param setup our side of the handshake, active or passive
 * @param direction of audio as we see it
 * @param data what the client says of its data channels; null when they are not accepted
 */
public record SdpAnswer(
        String text,
        SdpFormats formats,
        int audioLevelId,
        SdpSetup setup,
        SdpDirection direction,
        @Nullable SdpData data) {
    /** The buffer of an embedded SDK: every answer is shorter. */
    public static final int MAX_LENGTH = 2_048;

    /**
     * Whether it has settled the same as another one, but for the direction, feedback, the words
     * and SCTP's INIT, which is over when the association stands.
     */
    public boolean agreesWith(SdpAnswer other) {
        SdpFormats same = formats.withNack(other.formats.nack());
        SdpData said = data == null || other.data == null ? data : data.withInitOf(other.data);
        return new SdpAnswer(other.text, same, audioLevelId, setup, other.direction, said)
                .equals(other);
    }

    /** Begins the answer to an offer. */
    public static Builder builder(SdpOffer offer) {
        return new Builder(offer);
    }

    /** What of an answer is ours to say; everything but {@link #setup} must be given. */
    public static final class Builder {
        private final SdpOffer offer;
        private SdpSetup setup;
        private long sessionId;
        private long sessionVersion = 1;
        private @Nullable IceCredentials credentials;
        private @Nullable SdpFingerprint fingerprint;
        private List<SdpCandidate> candidates = List.of();
        private int ssrc;
        private String cname = "parley";
        private boolean red;
        private boolean nack;
        private boolean data = true;
        private @Nullable String sctpInit;
        private boolean sped;
        private String streamId = "parley";
        private String trackId = "audio";

        private Builder(SdpOffer offer) {
            this.offer = offer;
            this.setup = offer.transport().setup().answer();
        }

        /** The o= line's numbers, RFC 8866 5.2; the version grows by one with each new answer. */
        public Builder session(long id, long version) {
            sessionId = id;
            sessionVersion = version;
            return this;
        }

        public Builder credentials(IceCredentials local) {
            credentials = local;
            return this;
        }

        public Builder fingerprint(SdpFingerprint local) {
            fingerprint = local;
            return this;
        }

        /**
         * Chooses the other role than {@link SdpSetup#answer}, which is possible when the offer
         * says actpass.
         *
         * @throws IllegalArgumentException when the offer leaves no such choice
         */
        public Builder setup(SdpSetup chosen) {
            SdpSetup offered = offer.transport().setup();
            boolean free = offered == SdpSetup.ACTPASS && chosen != SdpSetup.ACTPASS;
            if (!free && chosen != offered.answer()) {
                throw new IllegalArgumentException(chosen + " does not answer " + offered);
            }
            setup = chosen;
            return this;
        }

        /** Public relay addresses, best first; at least one. */
        public Builder candidates(List<SdpCandidate> relays) {
            candidates = List.copyOf(relays);
            return this;
        }

        /** What our audio is sent with. */
        public Builder source(int ssrc, String cname) {
            this.ssrc = ssrc;
            this.cname = token(cname);
            return this;
        }

        /** Has the client send redundant audio, RFC 2198, if it offers to. */
        public Builder red(boolean wanted) {
            red = wanted;
            return this;
        }

        /**
         * Has the client keep packets to send them again. RFC 4585 4.2: "The answer MUST NOT
         * contain additional feedback"; it does all the same where the offer has feedback of
         * another kind, since browsers do not offer this one for audio and do it when asked. A
         * client that offers none never reads of it.
         */
        public Builder nack(boolean wanted) {
            nack = wanted;
            return this;
        }

        /**
         * Whether data channels are accepted if they are offered, as they are unless this says no.
         */
        public Builder data(boolean wanted) {
            data = wanted;
            return this;
        }

        /**
         * Answers the INIT chunk of an offer that has one with ours, draft-hancke-tsvwg-snap. Only
         * for those that are known to be valid: without an answer the client ignores its own.
         */
        public Builder sctpInit(@Nullable String own) {
            sctpInit = own;
            return this;
        }

        /**
         * Says that DTLS is carried in STUN, draft-hancke-webrtc-sped, to a client that says so
         * itself.
         */
        public Builder sped(boolean wanted) {
            sped = wanted;
            return this;
        }

        /** RFC 8830: without it a browser's {@code event.streams} is empty. */
        public Builder msid(String streamId, String trackId) {
            this.streamId = token(streamId);
            this.trackId = token(trackId);
            return this;
        }

        private static String token(String text) {
            if (!text.matches("[!#-'*+\\-.0-9A-Z^-~]{1,64}")) {
                throw new IllegalArgumentException("not a token of 1 to 64 characters: " + text);
            }
            return text;
        }

        /**
         * Writes the answer.
         *
         * @throws SdpException when the offer has so much to refuse that the answer would be too
         *     long
         * @throws IllegalStateException when something was not given
         */
        public SdpAnswer build() throws SdpException {
            IceCredentials local = credentials;
            SdpFingerprint certificate = fingerprint;
            if (local == null || certificate == null || candidates.isEmpty()) {
                throw new IllegalStateException(
                        "credentials, fingerprint and a candidate are needed");
            }
            SdpFormats formats = formats();
            SdpMedia channels = data ? offer.findAcceptableData() : null;
            SdpAnswerText text = new SdpAnswerText(offer);
            text.session(sessionId, sessionVersion, channels);
            boolean says = sped && offer.transport().sped();
            for (SdpMedia media : offer.media()) {
                if (media == offer.findAudio()) {
                    text.audio(media, formats, candidates);
                    text.transport(local, certificate, setup, says);
                    text.candidates(candidates);
                    text.source(ssrc, cname, streamId, trackId);
                } else if (media == channels) {
                    text.data(media, candidates, answersInit(channels) ? sctpInit : null);
                    text.transport(local, certificate, setup, says);
                    if (text.isLedBy(media)) {
                        text.candidates(candidates);
                    }
                } else {
                    text.refused(media);
                }
            }
            String whole = text.toString();
            if (whole.length() >= MAX_LENGTH) {
                SdpLine last = offer.media().getLast().line;
                throw last.error(
                        "the answer would need "
                                + whole.length()
                                + " bytes, "
                                + (MAX_LENGTH - 1)
                                + " is the most: offer fewer m-sections");
            }
            return new SdpAnswer(
                    whole,
                    formats,
                    text.audioLevelId(),
                    setup,
                    offer.direction().reversed(),
                    terms(channels));
        }

        private @Nullable SdpData terms(@Nullable SdpMedia channels) {
            SdpData said = channels == null ? null : channels.findData();
            return said == null || answersInit(channels) ? said : said.withoutInit();
        }

        private boolean answersInit(@Nullable SdpMedia channels) {
            SdpData said = channels == null ? null : channels.findData();
            return sctpInit != null && said != null && said.sctpInit() != null;
        }

        private SdpFormats formats() {
            SdpMedia audio = offer.findAudio();
            if (audio == null) {
                return SdpFormats.WITHOUT_AUDIO;
            }
            SdpCodec voice = offer.voice();
            SdpCodec redundant = red ? audio.findRed(voice) : null;
            return new SdpFormats(
                    voice,
                    redundant == null ? SdpFormats.NONE : redundant.payloadType(),
                    audio.findDtmf(voice),
                    nack && audio.hasFeedback(voice));
        }
    }
}
