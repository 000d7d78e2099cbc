package dev.parley.rtc.srtp;

/**
 * Master key and master salt of one direction, RFC 3711 3.2.1: what a DTLS handshake exports and
 * what a {@link SrtpSender} or {@link SrtpReceiver} is made from. Never printed.
 */
public final class SrtpKeys {
    private final SrtpProfile profile;
    private final byte[] masterKey;
    private final byte[] masterSalt;

    public SrtpKeys(SrtpProfile profile, byte[] masterKey, byte[] masterSalt) {
        if (masterKey.length != SrtpProfile.KEY_LENGTH
                || masterSalt.length != profile.saltLength()) {
            throw new IllegalArgumentException(
                    profile + " takes 16 and " + profile.saltLength() + " bytes");
        }
        this.profile = profile;
        this.masterKey = masterKey.clone();
        this.masterSalt = masterSalt.clone();
    }

    public SrtpProfile profile() {
        return profile;
    }

    byte[] masterKey() {
        return masterKey.clone();
    }

    byte[] masterSalt() {
        return masterSalt.clone();
    }

    /** Names the profile alone. */
    @Override
    public String toString() {
        return "SrtpKeys[" + profile + "]";
    }
}
