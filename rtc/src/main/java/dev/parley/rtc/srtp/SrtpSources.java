package dev.parley.rtc.srtp;

import org.jspecify.annotations.Nullable;

/**
 * The synchronization sources that one receiver has authenticated, a fixed number of slots made at
 * the start. Only {@link #admit} takes a slot, and it is called after authentication alone: packets
 * with made-up SSRCs change nothing here.
 */
final class SrtpSources {
    /**
     * A call has one audio source at a time; browsers change it a few times at most, while a
     * push-to-talk client may take a new one for each sentence.
     */
    static final int CAPACITY = 32;

    /**
     * A source may lose its slot once this many authentic packets came without one of its own: five
     * seconds of audio, those of sources without a slot included. A source that is heard keeps its
     * rollover counter and replay window, however many others turn up, while a call that changes
     * its source for hours never runs out.
     */
    static final int IDLE_PACKETS = 250;

    private final SrtpSource[] sources = new SrtpSource[CAPACITY];
    private int size;
    private long packets;

    @Nullable SrtpSource find(int ssrc) {
        for (int i = 0; i < size; i++) {
            if (sources[i].ssrc == ssrc) {
                return sources[i];
            }
        }
        return null;
    }

    /**
     * A fresh slot for a source that has none and has sent an authentic packet, or null when every
     * slot is in use.
     */
    @Nullable SrtpSource admit(int ssrc) {
        SrtpSource slot = size < CAPACITY ? freshSlot() : longestIdle();
        if (slot == null) {
            // Whoever is kept out is heard at last: those that keep it out grow older by it.
            packets++;
        } else {
            slot.reset(ssrc);
        }
        return slot;
    }

    /** Notes an authentic packet of this source. */
    void touch(SrtpSource source) {
        source.lastUsed = ++packets;
    }

    private SrtpSource freshSlot() {
        SrtpSource slot = new SrtpSource();
        sources[size++] = slot;
        return slot;
    }

    private @Nullable SrtpSource longestIdle() {
        SrtpSource longest = sources[0];
        for (SrtpSource source : sources) {
            if (source.lastUsed < longest.lastUsed) {
                longest = source;
            }
        }
        return packets - longest.lastUsed >= IDLE_PACKETS ? longest : null;
    }
}
