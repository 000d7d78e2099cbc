// The page: turns what a person does into calls, and what happens on a call into what they see.

import { Call, CallError } from "./call.js";
import { Conversation } from "./conversation.js";
import { Discs } from "./discs.js";
import { EventLog } from "./events.js";
import { fraction, Voice } from "./levels.js";
import * as microphone from "./microphone.js";
import { StatsReader } from "./stats.js";

const FIRST_AUDIO_PATIENCE_MS = 5_000;

// What holds a conversation does so in events of the Realtime API, and tells what it understood.
const CONVERSATION = { type: "realtime", audio: { input: { transcription: { model: "default" } } } };

const byId = (id) => document.getElementById(id);
const stat = (name) => document.querySelector(`[data-stat="${name}"]`);
const note = (name) => document.querySelector(`[data-note="${name}"]`);

const events = new EventLog(byId("events"));
const conversation = new Conversation(byId("conversation"));
const discs = new Discs(byId("voices"));
const remoteAudio = byId("remote");
const notes = Object.fromEntries([...document.querySelectorAll("[data-note]")].map((n) => [n.dataset.note, n.textContent]));

/** The call that is being made or going on, with all that must be undone after it; or null. */
let current = null;

// For the browser's console and for tests: the peer connection of the current call, or null.
window.parley = {
  get peer() {
    return current?.call.peer ?? null;
  },
};

byId("panel").addEventListener("submit", (event) => {
  event.preventDefault();
  if (current) {
    hangUp("You hung up");
  } else {
    connect();
  }
});
byId("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  say(byId("message").value.trim());
});
byId("mute").addEventListener("click", () => setMuted(byId("mute").getAttribute("aria-pressed") !== "true"));
byId("microphone").addEventListener("change", () => changeMicrophone(byId("microphone").value));
byId("unblock").addEventListener("click", play);
byId("agents").addEventListener("change", () => {
  byId("agent-label").textContent = agent().dataset.name;
  remember("agent", agent().value);
});
window.addEventListener("pagehide", () => current?.call.end({ leaving: true }));

restoreChoices();
const obstacle = microphone.obstacle();
if (obstacle) {
  show("idle", "Not from here.", obstacle.title);
  showProblem(obstacle);
  byId("connect").disabled = true;
} else {
  navigator.mediaDevices.addEventListener("devicechange", listMicrophones);
  listMicrophones();
}

async function connect() {
  const session = { call: new Call(), context: new AudioContext(), timers: [], phases: {} };
  current = session;
  showProblem(null);
  clearFigures();
  events.restart();
  conversation.restart();
  show("connecting", "One moment.", "Asking for your microphone.");
  try {
    session.context.resume();
    const asked = performance.now();
    session.stream = await microphone.open(byId("microphone").value);
    if (current !== session) {
      stopTracks(session);
      return;
    }
    showPhase(session, "microphone", performance.now() - asked);
    events.add(`Microphone: ${session.stream.getAudioTracks()[0].label}`);
    listMicrophones();
    watchTrack(session);
    session.you = new Voice(session.context, session.stream);
    discs.listen(session.you, null);
    every(session, 50, () => showLevels(session));

    listenTo(session);
    byId("status").textContent = "Setting up the call.";
    await session.call.start(session.stream, agent().value, "realtime" in agent().dataset ? CONVERSATION : null);
    session.connectedAt = performance.now();
    show("live", `You are talking to ${agent().dataset.name}.`, hint(agent().value));
    byId("mute").disabled = false;
    session.reader = new StatsReader(session.call.peer);
    waitForAudio(session);
    every(session, 1_000, oneAtATime(() => showStats(session)));
    every(session, 1_000, () => showClock(session));
  } catch (error) {
    if (current === session) {
      finish(session, error instanceof CallError ? error : unexpected(error));
    }
  }
}

function listenTo(session) {
  const { call } = session;
  call.addEventListener("log", ({ detail }) => events.add(detail.text, detail.kind));
  call.addEventListener("phase", ({ detail }) => showPhase(session, detail.name, detail.ms));
  call.addEventListener("track", ({ detail }) => {
    remoteAudio.srcObject = detail.stream;
    play();
    session.agent = new Voice(session.context, detail.stream);
    discs.listen(session.you, session.agent);
  });
  call.addEventListener("channel", ({ detail }) => {
    events.add(detail.open ? "Data channel is open" : "Data channel is closed", detail.open ? "good" : "");
    setWriting(detail.open);
    if (!detail.open) {
      noticeEnd(session);
    }
  });
  call.addEventListener("message", ({ detail }) => hear(detail.data));
  call.addEventListener("interrupted", () => {
    byId("status").textContent = "The connection is interrupted. Waiting for it to come back.";
    events.add("Connection interrupted", "bad");
  });
  call.addEventListener("recovered", () => {
    byId("status").textContent = hint(agent().value);
    events.add("Connection is back", "good");
  });
  call.addEventListener("lost", ({ detail }) => finish(session, detail.error));
}

/** An event of the agent: into the conversation and, but for what comes by the dozen, the log. */
function hear(data) {
  const name = conversation.take(data);
  if (!name.endsWith(".delta")) {
    events.add(`← ${name}`, name === "error" ? "bad" : "");
  }
}

/** Writes to the agent: as an item of the conversation where it knows what that is. */
function say(text) {
  if (!text || !current) {
    return;
  }
  const messages = conversation.realtime
    ? [
        { type: "conversation.item.create", item: { type: "message", role: "user", content: [{ type: "input_text", text }] } },
        { type: "response.create" },
      ].map((message) => JSON.stringify(message))
    : [text];
  if (messages.every((message) => current.call.send(message))) {
    conversation.wrote(text);
    messages.forEach((message) => events.add(`→ ${conversation.realtime ? JSON.parse(message).type : "text"}`));
    byId("message").value = "";
  }
}

function setWriting(possible) {
  byId("message").disabled = !possible;
  byId("send").disabled = !possible;
}

function hangUp(why) {
  events.add(why);
  finish(current, null);
}

/** The end of every call, however it came. */
function finish(session, error) {
  current = null;
  session.call.end();
  session.timers.forEach(clearInterval);
  stopTracks(session);
  session.you?.close();
  session.agent?.close();
  session.context.close();
  remoteAudio.srcObject = null;
  discs.listen(null, null);
  setLevel("you", -60);
  setLevel("agent", -60);
  byId("unblock").hidden = true;
  setWriting(false);
  byId("mute").disabled = true;
  byId("mute").setAttribute("aria-pressed", "false");
  const lasted = session.connectedAt ? ` after ${clock(performance.now() - session.connectedAt)}` : "";
  events.add(error ? error.message : `Call ended${lasted}`, error ? "bad" : "");
  show("idle", !error ? "Say something." : session.connectedAt ? "The call is over." : "That did not work.", error ? error.title : session.connectedAt ? `The call ended${lasted}.` : "Choose who listens, press Connect, and talk.");
  showProblem(error);
}

function unexpected(error) {
  return new CallError("Something unexpected happened.", `${error.name}: ${error.message}`);
}

// Sound

async function play() {
  try {
    await remoteAudio.play();
    byId("unblock").hidden = true;
  } catch (error) {
    // Browsers may want a click of its own before they play a voice.
    if (error.name === "NotAllowedError") {
      byId("unblock").hidden = false;
      events.add("The browser waits for a click before it plays sound", "bad");
    }
  }
}

function setMuted(muted) {
  current?.stream?.getAudioTracks().forEach((track) => {
    track.enabled = !muted;
  });
  byId("mute").setAttribute("aria-pressed", String(muted));
  byId("mute").textContent = muted ? "Muted" : "Mute";
  events.add(muted ? "Microphone muted" : "Microphone unmuted");
}

async function changeMicrophone(deviceId) {
  remember("microphone", deviceId);
  const session = current;
  if (!session?.call.sender) {
    return;
  }
  try {
    const stream = await microphone.open(deviceId);
    const [track] = stream.getAudioTracks();
    track.enabled = byId("mute").getAttribute("aria-pressed") !== "true";
    await session.call.sender.replaceTrack(track);
    stopTracks(session);
    session.stream = stream;
    session.you.close();
    session.you = new Voice(session.context, stream);
    discs.listen(session.you, session.agent ?? null);
    watchTrack(session);
    events.add(`Microphone: ${track.label}`);
    showProblem(null);
  } catch (error) {
    showProblem(error instanceof CallError ? error : unexpected(error));
  }
}

function watchTrack(session) {
  session.stream.getAudioTracks()[0].addEventListener("ended", () => {
    if (current === session) {
      events.add("The microphone was unplugged", "bad");
      changeMicrophone("");
    }
  });
}

function stopTracks(session) {
  session.stream?.getTracks().forEach((track) => track.stop());
}

async function listMicrophones() {
  const select = byId("microphone");
  const wanted = select.value || recall("microphone");
  const found = await microphone.list();
  select.replaceChildren(new Option("System default", ""), ...found.map(({ id, label }) => new Option(label, id)));
  select.value = found.some(({ id }) => id === wanted) ? wanted : "";
}

// Figures

/** The first audio that the browser has decoded, looked for often, but not for ever. */
function waitForAudio(session) {
  const look = oneAtATime(async () => {
    if (performance.now() - session.connectedAt > FIRST_AUDIO_PATIENCE_MS) {
      clearInterval(timer);
    }
    const { packetsPlayed } = await new StatsReader(session.call.peer).read();
    if (packetsPlayed > 0 && current === session && !session.heard) {
      session.heard = true;
      clearInterval(timer);
      const ms = performance.now() - session.connectedAt;
      showPhase(session, "audio", ms);
      events.add(`First audio ${Math.round(ms)} ms after connecting`, "good");
    }
  });
  const timer = every(session, 20, look);
}

async function showStats(session) {
  const s = await session.reader.read();
  if (current !== session) {
    return;
  }
  put("rtt", s.rttMs === null ? null : ms(s.rttMs), s.relay && `relay ${s.relay}`);
  put("jitter", s.jitterMs === null ? null : ms(s.jitterMs), s.bufferMs === null ? null : `buffer ${Math.round(s.bufferMs)} ms`);
  put("loss", s.lossDown === null ? null : percent(s.lossDown), s.lossUp === null ? null : `${percent(s.lossUp)} of yours`);
  put("up", s.kbpsUp === null ? null : `${Math.round(s.kbpsUp)} kb/s`);
  put("down", s.kbpsDown === null ? null : `${Math.round(s.kbpsDown)} kb/s`);
  put("codec", s.codec, s.clock);
  put("srtp", s.srtp, s.dtls);
  await noticeSilentEnd(session, s.packetsReceived);
}

// A server that ends a call closes DTLS, which browsers keep to themselves for long. But then the data channel
// closes and nothing arrives any more, and the server says that it knows no such call.
async function noticeSilentEnd(session, received) {
  session.stalled = received === session.received ? (session.stalled ?? 0) + 1 : 0;
  session.received = received;
  if (session.stalled >= 2) {
    await noticeEnd(session);
  }
}

async function noticeEnd(session) {
  if (!(await session.call.isKnown()) && current === session) {
    finish(session, new CallError("The call was ended by the server.", "Connect again to start another one."));
  }
}

function put(name, value, small = null) {
  stat(name).textContent = value ?? "–";
  note(name).textContent = small ?? notes[name];
}

function showPhase(session, name, took) {
  if (name === "setup") {
    put("setup", ms(took));
    return;
  }
  session.phases[name] = took;
  document.querySelector(`[data-phase="${name}"]`).textContent = ms(took);
  document.querySelector(`#split [data-part="${name}"]`).style.flexGrow = String(Math.max(took, 0.5));
}

function clearFigures() {
  Object.keys(notes).forEach((name) => put(name, null));
  document.querySelectorAll("[data-phase]").forEach((figure) => {
    figure.textContent = "–";
  });
  document.querySelectorAll("#split i").forEach((part) => {
    part.style.flexGrow = "0";
  });
}

function showLevels(session) {
  setLevel("you", session.you.levelDb());
  setLevel("agent", session.agent?.levelDb() ?? -60);
}

function setLevel(who, db) {
  const meter = byId(`${who}-level`);
  meter.style.setProperty("--level", fraction(db).toFixed(3));
  meter.setAttribute("aria-valuenow", String(Math.round(db)));
}

function showClock(session) {
  byId("clock").textContent = clock(performance.now() - session.connectedAt);
}

// Words

function show(state, headline, status) {
  document.documentElement.dataset.state = state;
  discs.state = state;
  const live = state === "live";
  byId("phase").textContent = { idle: "Ready", connecting: "Connecting", live: "Live" }[state];
  byId("clock").hidden = !live;
  byId("clock").textContent = "0:00";
  byId("headline").textContent = headline;
  byId("status").textContent = status;
  byId("connect").textContent = { idle: "Connect", connecting: "Cancel", live: "Hang up" }[state];
  byId("mute").textContent = "Mute";
  byId("agents").disabled = state !== "idle";
}

function showProblem(error) {
  byId("problem").hidden = !error;
  byId("problem-title").textContent = error?.title ?? "";
  byId("problem-detail").textContent = error?.detail ?? "";
}

function hint(model) {
  return {
    scripted: "Ask it something, and try to cut in while it speaks.",
    speak: "It speaks what you write, or say something and listen.",
    parrot: "Say a sentence and pause. You will hear it again.",
    echo: "Everything you say comes straight back. Headphones keep it from going round in circles.",
    tone: "You should hear a steady tone.",
    silence: "Nobody will answer, but your voice arrives.",
  }[model];
}

function ms(value) {
  if (value < 1) {
    return "< 1 ms";
  }
  return value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`;
}

function percent(share) {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

function clock(milliseconds) {
  const seconds = Math.floor(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

// Odds and ends

function every(session, period, action) {
  const timer = setInterval(action, period);
  session.timers.push(timer);
  return timer;
}

/** Leaves a turn out while the last one goes on. */
function oneAtATime(action) {
  let busy = false;
  return async () => {
    if (!busy) {
      busy = true;
      await action().finally(() => {
        busy = false;
      });
    }
  };
}

function agent() {
  return document.querySelector('input[name="agent"]:checked');
}

function restoreChoices() {
  const wanted = new URLSearchParams(location.search).get("agent") ?? recall("agent");
  const input = document.querySelector(`input[name="agent"][value="${CSS.escape(wanted)}"]`);
  if (input) {
    input.checked = true;
  }
  byId("agent-label").textContent = agent().dataset.name;
}

function remember(key, value) {
  try {
    localStorage.setItem(`parley.${key}`, value);
  } catch {
    // Private windows may forbid it; the choice then lasts as long as the page.
  }
}

function recall(key) {
  try {
    return localStorage.getItem(`parley.${key}`) ?? "";
  } catch {
    return "";
  }
}
