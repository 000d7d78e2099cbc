package dev.parley.transceiver.session;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The deadlines of a loop's sessions, one each, the earliest on top: a binary heap whose entries
 * know their place, so moving a deadline costs the logarithm of the number of sessions and
 * allocates nothing. Owned by one media loop.
 *
 * @param <T> whose deadlines they are
 */
final class Timers<T> {
    /** One owner's deadline. */
    static final class Entry<T> {
        private static final int IDLE = -1;

        private final T owner;
        private long deadlineNanos;
        private int index = IDLE;

        Entry(T owner) {
            this.owner = owner;
        }

        T owner() {
            return owner;
        }

        long deadlineNanos() {
            return deadlineNanos;
        }
    }

    private @Nullable Entry<T>[] heap = newHeap(64);
    private int size;

    /** The one of two points in time that comes first. */
    static long earlier(long a, long b) {
        return a - b <= 0 ? a : b;
    }

    /** Sets or moves a deadline. */
    void schedule(Entry<T> entry, long deadlineNanos) {
        if (entry.index == Entry.IDLE) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, size * 2);
            }
            entry.deadlineNanos = deadlineNanos;
            place(entry, size++);
            siftUp(entry);
            return;
        }
        boolean earlier = deadlineNanos - entry.deadlineNanos < 0;
        entry.deadlineNanos = deadlineNanos;
        if (earlier) {
            siftUp(entry);
        } else {
            siftDown(entry);
        }
    }

    /** Forgets a deadline, if there is one. */
    void cancel(Entry<T> entry) {
        int hole = entry.index;
        if (hole == Entry.IDLE) {
            return;
        }
        entry.index = Entry.IDLE;
        Entry<T> last = at(--size);
        heap[size] = null;
        if (last != entry) {
            place(last, hole);
            siftUp(last);
            siftDown(last);
        }
    }

    /** The earliest entry if it is due, or null; it stays until it is scheduled or cancelled. */
    @Nullable Entry<T> due(long nowNanos) {
        return size > 0 && at(0).deadlineNanos - nowNanos <= 0 ? at(0) : null;
    }

    /** Nanoseconds until the earliest deadline, at least 0 and at most {@code limitNanos}. */
    long untilNext(long nowNanos, long limitNanos) {
        return size == 0 ? limitNanos : Math.clamp(at(0).deadlineNanos - nowNanos, 0, limitNanos);
    }

    private void siftUp(Entry<T> entry) {
        int index = entry.index;
        while (index > 0) {
            int parent = (index - 1) / 2;
            Entry<T> above = at(parent);
            if (above.deadlineNanos - entry.deadlineNanos <= 0) {
                break;
            }
            place(above, index);
            index = parent;
        }
        place(entry, index);
    }

    private void siftDown(Entry<T> entry) {
        int index = entry.index;
        while (true) {
            int child = 2 * index + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && at(child + 1).deadlineNanos - at(child).deadlineNanos < 0) {
                child++;
            }
            if (at(child).deadlineNanos - entry.deadlineNanos >= 0) {
                break;
            }
            place(at(child), index);
            index = child;
        }
        place(entry, index);
    }

    private void place(Entry<T> entry, int index) {
        heap[index] = entry;
        entry.index = index;
    }

    private Entry<T> at(int index) {
        Entry<T> entry = heap[index];
        if (entry == null) {
            throw new IllegalStateException("the heap has a hole at " + index);
        }
        return entry;
    }

    @SuppressWarnings("unchecked") // Java cannot make an array of a generic type.
    private static <T> @Nullable Entry<T>[] newHeap(int capacity) {
        return (Entry<T>[]) new Entry<?>[capacity];
    }
}
