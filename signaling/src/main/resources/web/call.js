// One call: the offer over HTTP, the media over WebRTC. Knows nothing of the page.

const CONNECT_TIMEOUT_MS = 10_000;
const HANG_UP_TIMEOUT_MS = 1_000;
const CALLS = "v1/realtime/calls";

/** A call that could not be made or went wrong, in words for a person. */
export class CallError extends Error {
  constructor(title, detail) {
    super(`${title} ${detail}`);
    this.title = title;
    this.detail = detail;
  }
}

/**
 * Makes calls and owns the peer connection of the current one.
 *
 * Events: "log" {text, kind}, "track" {stream}, "phase" {name, ms} for signaling and path, "channel"
 * {open}, "message" {data} of the data channel, "interrupted", "recovered", and "lost" {error} after
 * which the call is over.
 */
export class Call extends EventTarget {
  constructor() {
    super();
    this.peer = new RTCPeerConnection({ bundlePolicy: "max-bundle" });
    this.abort = new AbortController();
    this.location = null;
    this.ended = false;
  }

  /** Resolves once media can flow. With a session object the events are those of the Realtime API. */
  async start(stream, model, session = null) {
    const [track] = stream.getAudioTracks();
    // Exactly one audio section, both ways.
    const transceiver = this.peer.addTransceiver(track, { direction: "sendrecv", streams: [stream] });
    this.sender = transceiver.sender;
    this.channel = this.peer.createDataChannel("oai-events");
    this.channel.binaryType = "arraybuffer";
    this.#watch();

    const offer = await this.peer.createOffer();
    await this.peer.setLocalDescription(offer);
    // The server learns our address from our first check, so the offer need not wait for candidates.
    const started = performance.now();
    this.#log(`Offer of ${offer.sdp.length} bytes for ${model}`);
    const answer = await this.#post(model, offer.sdp, session);
    const answered = performance.now();
    this.#emit("phase", { name: "signaling", ms: answered - started });
    this.#log(`201 in ${Math.round(answered - started)} ms, ${shorten(this.callId)}`, "good");

    const connected = this.#connected();
    await this.peer.setRemoteDescription({ type: "answer", sdp: answer });
    await connected;
    const ready = performance.now();
    this.#emit("phase", { name: "path", ms: ready - answered });
    this.#emit("phase", { name: "setup", ms: ready - started });
    this.#log(`Connected in ${Math.round(ready - started)} ms`, "good");
  }

  get callId() {
    return this.location?.split("/").pop() ?? "";
  }

  /** Sends a message on the data channel; false when it is not open. */
  send(text) {
    const open = this.channel?.readyState === "open";
    if (open) {
      this.channel.send(text);
    }
    return open;
  }

  /** Ends the call on both sides. Safe to repeat; with leaving, also while the page goes away. */
  end({ leaving = false } = {}) {
    if (this.ended) {
      return;
    }
    this.ended = true;
    this.abort.abort();
    const close = () => this.peer.close();
    if (!this.location || leaving) {
      close();
    }
    if (this.location) {
      // Told first, the server knows that we hung up; a closed connection alone could be anything. If it
      // cannot be told, it notices by itself.
      fetch(this.location, { method: "DELETE", keepalive: true, signal: AbortSignal.timeout(HANG_UP_TIMEOUT_MS) })
        .catch(() => {})
        .finally(close);
    }
  }

  /** Whether the call still lives on the server; true when it cannot be asked. */
  async isKnown() {
    try {
      const response = await fetch(this.location, { signal: AbortSignal.timeout(3_000) });
      return response.ok ? (await response.json()).state !== "ended" : response.status !== 404;
    } catch {
      return true;
    }
  }

  async #post(model, sdp, session) {
    let response;
    try {
      response = await fetch(`${CALLS}?model=${encodeURIComponent(model)}`, {
        method: "POST",
        headers: { "Content-Type": session ? "application/json" : "application/sdp" },
        body: session ? JSON.stringify({ sdp, session: { model, ...session } }) : sdp,
        signal: this.abort.signal,
      });
    } catch (error) {
      if (error.name === "AbortError") {
        throw error;
      }
      throw new CallError("The server cannot be reached.", "Check that it is running and that you are online, then connect again.");
    }
    const body = await response.text();
    if (response.status !== 201) {
      throw refusal(response, body);
    }
    this.location = response.headers.get("Location");
    if (this.ended) {
      // Hung up while the answer was on its way: the call must not stay behind.
      fetch(this.location, { method: "DELETE", keepalive: true }).catch(() => {});
      throw new DOMException("hung up", "AbortError");
    }
    return body;
  }

  #connected() {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new CallError("No path for the voice.", "The server answered, but nothing came through over UDP within 10 seconds. A firewall may be blocking it.")),
        CONNECT_TIMEOUT_MS,
      );
      const check = () => {
        const state = this.peer.connectionState;
        if (state === "connected") {
          clearTimeout(timer);
          resolve();
        } else if (state === "failed") {
          clearTimeout(timer);
          reject(new CallError("No path for the voice.", "The network between this browser and the server does not let the call through."));
        }
      };
      this.peer.addEventListener("connectionstatechange", check);
      this.abort.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(new DOMException("hung up", "AbortError"));
      });
      check();
    });
  }

  #watch() {
    let wasConnected = false;
    this.peer.addEventListener("track", ({ streams, track }) => {
      this.#emit("track", { stream: streams[0] ?? new MediaStream([track]) });
    });
    this.channel.addEventListener("open", () => this.#emit("channel", { open: true }));
    this.channel.addEventListener("close", () => this.#emit("channel", { open: false }));
    this.channel.addEventListener("message", ({ data }) => this.#emit("message", { data }));
    this.peer.addEventListener("iceconnectionstatechange", () => {
      this.#log(`ICE ${this.peer.iceConnectionState}`);
    });
    this.peer.addEventListener("connectionstatechange", () => {
      const state = this.peer.connectionState;
      if (state === "connected") {
        if (wasConnected) {
          this.#emit("recovered", {});
        }
        wasConnected = true;
      } else if (state === "disconnected") {
        this.#emit("interrupted", {});
      } else if (state === "failed" && wasConnected) {
        this.#emit("lost", { error: new CallError("The connection was lost.", "Nothing came through for a while. Connect again when your network is back.") });
      }
    });
  }

  #log(text, kind = "") {
    this.#emit("log", { text, kind });
  }

  #emit(type, detail) {
    if (!this.ended) {
      this.dispatchEvent(new CustomEvent(type, { detail }));
    }
  }
}

function refusal(response, body) {
  let error = {};
  try {
    error = JSON.parse(body).error ?? {};
  } catch {
    // Not from Parley itself, a proxy perhaps.
  }
  const titles = {
    404: "That agent is not available.",
    408: "The server waited too long.",
    429: "Too many calls.",
    503: "No agent is free right now.",
  };
  const title = titles[response.status] ?? "The server refused the call.";
  return new CallError(title, `${error.message ?? "It gave no reason."} (${response.status}${error.code ? `, ${error.code}` : ""})`);
}

function shorten(callId) {
  return callId.length > 16 ? `${callId.slice(0, 14)}…` : callId;
}
