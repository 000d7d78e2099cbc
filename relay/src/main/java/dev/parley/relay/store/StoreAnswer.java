package dev.parley.relay.store;

/** What the store says to a read. */
public sealed interface StoreAnswer permits StoredRoute, StoreAnswer.Miss {
    /** There is no route to go by. */
    enum Miss implements StoreAnswer {
        /** Nobody has stored the client. */
        ABSENT,
        /** The store did not answer in time, or with an error. */
        FAILED,
        /** What is stored is no route. */
        UNUSABLE
    }
}
