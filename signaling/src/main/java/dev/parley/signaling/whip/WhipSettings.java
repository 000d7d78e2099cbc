package dev.parley.signaling.whip;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * How WHIP is spoken.
 *
 * @param strict whether what RFC 9725 demands of clients is insisted on
 * @param iceServers URIs of STUN servers that clients are told of
 * @param publicUrl what our own URLs begin with; without it they are relative
 */
public record WhipSettings(boolean strict, List<String> iceServers, Optional<URI> publicUrl) {}
