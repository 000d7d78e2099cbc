package dev.parley.runtime.udp;

/** Which of the ways to move datagrams a process uses. */
public enum UdpMode {
    /** The kernel-batched one where it works, else the portable one. */
    AUTO,
    /** Batched system calls; Linux on x86_64 and aarch64 only. */
    NATIVE,
    /** {@code DatagramChannel}, on every platform. */
    PORTABLE;

    /** Whether {@link #open} gives batched system calls. */
    public boolean isBatched() {
        return this != PORTABLE && LinuxUdpPoller.isSupported();
    }

    /**
     * Opens a poller of this kind.
     *
     * @throws UnsupportedOperationException when NATIVE is not to be had; the message says why
     */
    public UdpPoller open() {
        if (isBatched()) {
            return new LinuxUdpPoller();
        }
        if (this == NATIVE) {
            throw new UnsupportedOperationException(
                    "batched system calls need Linux on x86_64 or aarch64");
        }
        return new NioUdpPoller();
    }
}
