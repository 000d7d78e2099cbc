package dev.parley.rtc.sctp;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Joins fragments whose numbers follow each other, in whatever order they come: TSNs for DATA (RFC
 * 9260 6.9), fragment numbers for I-DATA. Owned by {@link InboundReassembly}.
 */
final class FragmentRuns {
    /** Fragments that follow each other. */
    static final class Run {
        private long first;
        private long last;
        private Fragment head;
        private Fragment tail;
        private int bytes;
        private int charge;
        private @Nullable ArrayDeque<byte[]> pieces;

        Run(long number, Fragment fragment, int charge) {
            first = number;
            last = number;
            head = fragment;
            tail = fragment;
            bytes = fragment.payload().length;
            this.charge = charge;
            ArrayDeque<byte[]> only = new ArrayDeque<>(4);
            only.add(fragment.payload());
            pieces = only;
        }

        Fragment head() {
            return head;
        }

        /** First number of the run. */
        long first() {
            return first;
        }

        boolean isWhole() {
            return head.begins() && tail.ends();
        }

        /** Whether its content was dropped, since it is too long. */
        boolean isDiscarded() {
            return pieces == null;
        }

        int bytes() {
            return bytes;
        }

        /** What its parts are charged for. */
        int charge() {
            return charge;
        }

        /** Forgets the content, which is charged for no longer, and goes on counting. */
        void discard() {
            charge = 0;
            pieces = null;
            head = emptied(head);
            tail = emptied(tail);
        }

        byte[] join() {
            byte[] whole = new byte[bytes];
            int at = 0;
            for (byte[] piece : pieces == null ? new ArrayDeque<byte[]>(1) : pieces) {
                System.arraycopy(piece, 0, whole, at, piece.length);
                at += piece.length;
            }
            return whole;
        }

        private void absorb(Run next) {
            last = next.last;
            tail = next.tail;
            // No further than needed to know that it is too long.
            bytes = Math.min(bytes + next.bytes, Integer.MAX_VALUE / 2);
            charge += next.charge;
            ArrayDeque<byte[]> own = pieces;
            ArrayDeque<byte[]> more = next.pieces;
            if (own == null || more == null) {
                pieces = null;
            } else if (own.size() >= more.size()) {
                own.addAll(more);
            } else {
                while (!own.isEmpty()) {
                    more.addFirst(own.removeLast());
                }
                pieces = more;
            }
        }

        private static Fragment emptied(Fragment f) {
            return new Fragment(
                    f.streamId(),
                    f.unordered(),
                    f.messageNumber(),
                    f.fragmentNumber(),
                    f.ppid(),
                    f.begins(),
                    f.ends(),
                    new byte[0]);
        }
    }

    private final Map<Long, Run> byFirst = new HashMap<>();
    private final Map<Long, Run> byLast = new HashMap<>();

    /** Adds a fragment; answers the run that it is now part of, which leaves if it is whole. */
    Run add(long number, Fragment fragment, int charge) {
        Run run = new Run(number, fragment, charge);
        Run before = byLast.get(number - 1);
        if (before != null && !fragment.begins() && fits(before.tail, fragment)) {
            forget(before);
            before.absorb(run);
            run = before;
        }
        Run after = byFirst.get(number + 1);
        if (after != null && !after.head.begins() && fits(fragment, after.head)) {
            forget(after);
            run.absorb(after);
        }
        if (!run.isWhole()) {
            byFirst.put(run.first, run);
            byLast.put(run.last, run);
        }
        return run;
    }

    private static boolean fits(Fragment earlier, Fragment later) {
        return !earlier.ends() && earlier.belongsWith(later);
    }

    private void forget(Run run) {
        byFirst.remove(run.first);
        byLast.remove(run.last);
    }

    /** Drops runs that will never be whole; tells of each. */
    void removeIf(Predicate<Run> lost) {
        for (Iterator<Run> runs = byFirst.values().iterator(); runs.hasNext(); ) {
            Run run = runs.next();
            if (lost.test(run)) {
                runs.remove();
                byLast.remove(run.last);
            }
        }
    }
}
