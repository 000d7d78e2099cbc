package dev.parley.relay;

import org.jspecify.annotations.Nullable;

/** Wakes a loop that is made after what wakes it. Any thread may run it. */
final class LoopAlarm implements Runnable {
    private volatile @Nullable RelayLoop loop;

    void wakes(RelayLoop made) {
        loop = made;
    }

    @Override
    public void run() {
        RelayLoop made = loop;
        if (made != null) {
            made.wakeUp();
        }
    }
}
