package dev.parley.rtc.sctp;

import org.jspecify.annotations.Nullable;

/**
 * One number per stream, zero at first. Pages are made when a stream on them first counts, so a
 * handful of streams costs little and all 65,536 a quarter of a mebibyte.
 */
final class StreamNumbers {
    private static final int PAGE_BITS = 8;
    private static final int PAGE = 1 << PAGE_BITS;

    private final int[] @Nullable [] pages = new int[65_536 >> PAGE_BITS][];

    int at(int streamId) {
        int[] page = pages[streamId >> PAGE_BITS];
        return page == null ? 0 : page[streamId & PAGE - 1];
    }

    void set(int streamId, int number) {
        int[] page = pages[streamId >> PAGE_BITS];
        if (page == null) {
            if (number == 0) {
                return;
            }
            page = new int[PAGE];
            pages[streamId >> PAGE_BITS] = page;
        }
        page[streamId & PAGE - 1] = number;
    }
}
