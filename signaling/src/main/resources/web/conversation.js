// What is said in a call, by voice and by text: as turns that grow while they are spoken.
// Understands the events of the Realtime API; what an agent sends otherwise is shown as it is.

const MOST = 200;

export class Conversation {
  #list;
  #turns = new Map();
  #hearing = null;
  #empty;

  constructor(list) {
    this.#list = list;
    this.#empty = list.querySelector(".empty");
  }

  restart() {
    this.#turns.clear();
    this.#hearing = null;
    this.#list.replaceChildren(this.#empty);
    this.realtime = false;
  }

  /** Whether the other side speaks the Realtime API's events. */
  realtime = false;

  /** Takes a message of the data channel; answers how it is called in the log. */
  take(data) {
    if (typeof data !== "string") {
      const size = data.byteLength ?? data.size;
      this.#add("agent").textContent = `${size} bytes`;
      return `${size} bytes`;
    }
    const event = parse(data);
    if (!event) {
      this.#add("agent").textContent = data;
      return "text";
    }
    this.realtime ||= event.type === "session.created";
    this.#show(event);
    return event.type;
  }

  /** Shows what a person wrote. */
  wrote(text) {
    this.#add("you").textContent = text;
  }

  #show(event) {
    switch (event.type) {
      case "input_audio_buffer.speech_started":
        this.#hearing = this.#hear(event.item_id);
        break;
      case "input_audio_buffer.speech_stopped":
        this.#hearing?.parentElement.classList.remove("growing");
        break;
      case "conversation.item.input_audio_transcription.delta":
        this.#grow("you", event.item_id, event.delta);
        break;
      case "conversation.item.input_audio_transcription.completed":
        this.#finish("you", event.item_id, event.transcript);
        break;
      case "response.output_audio_transcript.delta":
      case "response.output_text.delta":
        this.#grow("agent", event.item_id, event.delta);
        break;
      case "response.output_audio_transcript.done":
      case "response.output_text.done":
        this.#finish("agent", event.item_id, event.transcript ?? event.text);
        break;
      case "response.function_call_arguments.done":
        this.#aside(`Calls ${event.name ?? "a tool"} ${event.arguments ?? ""}`);
        break;
      case "conversation.item.truncated":
        this.#interrupted(event.item_id, event.audio_end_ms);
        break;
      case "error":
        this.#aside(event.error?.message ?? "The agent reports an error.", "bad");
        break;
      default:
    }
  }

  #hear(id) {
    const words = this.#turn("you", id);
    if (!words.textContent) {
      words.textContent = "…";
    }
    return words;
  }

  #grow(who, id, text) {
    const words = this.#turn(who, id);
    words.textContent = (words.textContent === "…" ? "" : words.textContent) + text;
    this.#follow();
  }

  #finish(who, id, text) {
    const words = this.#turn(who, id);
    if (text) {
      words.textContent = text.trim();
    }
    words.parentElement.classList.remove("growing");
    this.#follow();
  }

  #interrupted(id, ms) {
    const words = this.#turns.get(id);
    if (words) {
      words.parentElement.classList.remove("growing");
      words.parentElement.classList.add("cut");
      const note = document.createElement("small");
      note.textContent = `You cut in after ${(ms / 1_000).toFixed(1)} s`;
      words.parentElement.append(note);
      this.#follow();
    }
  }

  #turn(who, id) {
    let words = this.#turns.get(id);
    if (!words) {
      words = this.#add(who);
      words.parentElement.classList.add("growing");
      this.#turns.set(id, words);
    }
    return words;
  }

  #aside(text, kind = "") {
    const words = this.#add("aside");
    words.textContent = text;
    words.className = kind;
  }

  #add(who) {
    this.#list.querySelector(".empty")?.remove();
    const item = document.createElement("li");
    item.className = who;
    const words = document.createElement("span");
    item.append(words);
    this.#list.append(item);
    if (this.#list.childElementCount > MOST) {
      this.#list.firstElementChild.remove();
    }
    this.#follow();
    return words;
  }

  #follow() {
    this.#list.scrollTop = this.#list.scrollHeight;
  }
}

function parse(text) {
  try {
    const event = JSON.parse(text);
    return typeof event?.type === "string" ? event : null;
  } catch {
    return null;
  }
}
