package dev.parley.app;

/** What a log line looks like. */
public enum LogFormat {
    /** For people. */
    TEXT,
    /** For machines. */
    JSON
}
