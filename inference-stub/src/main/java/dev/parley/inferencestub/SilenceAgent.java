package dev.parley.inferencestub;

/** Listens and sends nothing. */
final class SilenceAgent implements Agent {}
