package dev.parley.transceiver.inference;

/**
 * What of a call's events waits between its clients and inference.
 *
 * @param up events that wait for the stream to inference
 * @param upBytes of them
 * @param upReady whether there is a stream and it takes more
 * @param downBytes of what waits for the data channels, with something for each message
 * @param downWithheld whether nothing more is read until some of it has left
 */
public record EventBacklog(
        int up, long upBytes, boolean upReady, long downBytes, boolean downWithheld) {}
