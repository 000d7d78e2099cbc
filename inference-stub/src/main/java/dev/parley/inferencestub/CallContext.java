package dev.parley.inferencestub;

import io.grpc.Status;
import java.time.Duration;
import java.time.InstantSource;

/** What an agent may use of its call: the conversation, seen from the agent's side. */
interface CallContext {
    InferenceStubConfig config();

    Formats formats();

    Voice voice();

    Synthesizer synthesizer();

    InstantSource clock();

    long nowNanos();

    /** Has the conversation call {@link Agent#onTick} at once; any thread may run it. */
    Runnable wake();

    /** Whether the stream has been ended. */
    boolean over();

    /** Takes no more messages from the edge for a while; a few that were asked for still come. */
    void stopReading(Duration length);

    /** Ends the stream. */
    void fail(Status status);
}
