package dev.parley.transceiver.inference;

/**
 * How connections to backends are secured.
 *
 * @param on whether they are
 * @param caFile who may have signed a backend's certificate, PEM; empty: whom the system trusts
 * @param certificateFile our own certificate and those up to its root, PEM; empty: we show none
 * @param keyFile its key, PEM (PKCS #8)
 */
public record TlsSettings(boolean on, String caFile, String certificateFile, String keyFile) {
    /** Connections in the clear. */
    public static final TlsSettings OFF = new TlsSettings(false, "", "", "");

    boolean hasCertificate() {
        return !certificateFile.isEmpty();
    }
}
