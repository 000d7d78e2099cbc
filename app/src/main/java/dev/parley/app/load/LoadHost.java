package dev.parley.app.load;

import dev.parley.rtc.rtp.NtpTime;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/** What a call has of the loop that carries it; called on the loop's thread. */
interface LoadHost {
    /** Where the next datagram is to be written, at {@link #payloadOffset}. */
    ByteBuffer bytes();

    int payloadOffset();

    /** Sends what was written to where the call sends. */
    void commit(LoadCall call, int length);

    /** Counts. */
    Tally tally();

    NtpTime ntp();

    RandomGenerator random();

    /** Runs something on the loop's thread soon; from any thread. */
    void post(Runnable command);

    /** Has a call's next datagrams leave from another port. */
    void rebind(LoadCall call);

    /** Has a call's ICE restarted over the signaling API. */
    void restartIce(LoadCall call);

    /** The call was moved to another address family or candidate. */
    void redirect(LoadCall call);

    /** A call has something due earlier than it said. */
    void hasten(LoadCall call);

    /** A call is over; what it holds may go. */
    void over(LoadCall call);
}
