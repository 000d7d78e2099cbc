package dev.parley.runtime.udp;

/** A UDP address that cannot be bound; the message names the address and the system's reason. */
public final class UdpBindException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UdpBindException(String message, Throwable cause) {
        super(message, cause);
    }
}
