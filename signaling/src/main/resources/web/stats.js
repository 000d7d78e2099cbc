// What getStats() tells, as the few figures that matter to someone on a call.

const SUITES = {
  AEAD_AES_128_GCM: "AES-128-GCM",
  AEAD_AES_256_GCM: "AES-256-GCM",
  AES_CM_128_HMAC_SHA1_80: "AES-CM SHA1-80",
  AES_CM_128_HMAC_SHA1_32: "AES-CM SHA1-32",
  SRTP_AEAD_AES_128_GCM: "AES-128-GCM",
  SRTP_AES128_CM_HMAC_SHA1_80: "AES-CM SHA1-80",
};
const TLS = { FEFD: "DTLS 1.2", FEFC: "DTLS 1.3", FEFF: "DTLS 1.0" };

/** Reads one call's statistics; rates are over the time since the last reading. */
export class StatsReader {
  #peer;
  #last = null;

  constructor(peer) {
    this.#peer = peer;
  }

  /** Figures by name; those that the browser does not tell are null. */
  async read() {
    const report = await this.#peer.getStats();
    const all = [...report.values()];
    const one = (type) => all.find((s) => s.type === type && (s.kind === undefined || s.kind === "audio"));
    const inbound = one("inbound-rtp");
    const outbound = one("outbound-rtp");
    const remote = one("remote-inbound-rtp");
    const transport = one("transport");
    const pair = report.get(transport?.selectedCandidatePairId) ?? all.find((s) => s.type === "candidate-pair" && s.nominated && s.state === "succeeded");
    const peer = report.get(pair?.remoteCandidateId);
    const codec = report.get(inbound?.codecId ?? outbound?.codecId);

    const now = {
      // When the browser looked, not when it told: a busy one tells several late readings at once.
      at: outbound?.timestamp ?? inbound?.timestamp ?? 0,
      received: inbound?.packetsReceived ?? 0,
      lost: inbound?.packetsLost ?? 0,
      bytesDown: bytes(inbound, "Received"),
      bytesUp: bytes(outbound, "Sent"),
      delay: inbound?.jitterBufferDelay ?? 0,
      emitted: inbound?.jitterBufferEmittedCount ?? 0,
    };
    const before = this.#last ?? now;
    this.#last = now;
    const seconds = (now.at - before.at) / 1_000;
    const expected = now.received - before.received + now.lost - before.lost;
    return {
      packetsReceived: now.received,
      packetsPlayed: now.emitted,
      rttMs: seconds1000(pair?.currentRoundTripTime ?? remote?.roundTripTime),
      relay: peer ? hostPort(peer.address ?? peer.ip, peer.port) : null,
      jitterMs: seconds1000(inbound?.jitter),
      bufferMs: now.emitted > before.emitted ? ((now.delay - before.delay) / (now.emitted - before.emitted)) * 1_000 : null,
      lossDown: expected > 0 ? Math.max(0, now.lost - before.lost) / expected : null,
      lossUp: remote?.fractionLost ?? null,
      kbpsUp: seconds > 0 ? ((now.bytesUp - before.bytesUp) * 8) / seconds / 1_000 : null,
      kbpsDown: seconds > 0 ? ((now.bytesDown - before.bytesDown) * 8) / seconds / 1_000 : null,
      codec: codec ? codec.mimeType.replace(/^audio\//, "").replace("opus", "Opus") : null,
      clock: codec?.clockRate ? `${codec.clockRate / 1_000} kHz` : null,
      srtp: transport?.srtpCipher ? SUITES[transport.srtpCipher] ?? transport.srtpCipher : null,
      dtls: transport?.tlsVersion ? TLS[transport.tlsVersion] ?? transport.tlsVersion : null,
    };
  }
}

function bytes(stat, direction) {
  return (stat?.[`bytes${direction}`] ?? 0) + (stat?.[`headerBytes${direction}`] ?? 0);
}

function hostPort(host, port) {
  return host?.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function seconds1000(seconds) {
  return seconds === undefined ? null : seconds * 1_000;
}
