package dev.parley.relay;

import java.util.List;

/** What a relay tells about itself. Any thread asks. */
interface RelayHealth {
    /** Why this process should be started anew; empty while it should not. */
    List<String> faults();

    /** Why no new clients should be sent here; empty while they should. */
    List<String> obstacles();

    /** What works worse than it could though clients are served. */
    List<String> defects();
}
