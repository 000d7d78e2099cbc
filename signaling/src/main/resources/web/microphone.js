// The microphone: which ones there are, opening one, and what to say when that fails.

import { CallError } from "./call.js";

// For tests: ?raw=1 turns off echo cancellation, noise suppression and gain control, so that what is
// sent is what the (fake) microphone played.
const raw = new URLSearchParams(location.search).get("raw") === "1";

/** Why there can be no call at all from this page, or null. */
export function obstacle() {
  if (!window.isSecureContext) {
    return new CallError("This page may not use a microphone.", `Browsers allow it only over https:// or on localhost, and this page is at ${location.origin}.`);
  }
  if (!navigator.mediaDevices?.getUserMedia || typeof RTCPeerConnection === "undefined") {
    return new CallError("This browser cannot make calls.", "It has no WebRTC. A current Chrome, Edge, Firefox or Safari has.");
  }
  return null;
}

/** Opens a microphone; an empty id is the system's default. */
export async function open(deviceId) {
  const processing = !raw;
  const audio = { echoCancellation: processing, noiseSuppression: processing, autoGainControl: processing };
  if (deviceId) {
    audio.deviceId = { exact: deviceId };
  }
  try {
    return await navigator.mediaDevices.getUserMedia({ audio });
  } catch (error) {
    throw explain(error);
  }
}

/** The microphones as {id, label}; labels are known only once one has been allowed. */
export async function list() {
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices
    .filter(({ kind, deviceId }) => kind === "audioinput" && deviceId && deviceId !== "default" && deviceId !== "communications")
    .map(({ deviceId, label }, index) => ({ id: deviceId, label: label || `Microphone ${index + 1}` }));
}

function explain(error) {
  switch (error.name) {
    case "NotAllowedError":
    case "SecurityError":
      return /system/i.test(error.message)
        ? new CallError("The microphone is switched off for this browser.", "Allow the browser to use it in your system's privacy settings, then connect again.")
        : new CallError("The microphone was refused.", "Allow it for this page, next to the address, then connect again.");
    case "NotFoundError":
      return new CallError("There is no microphone.", "Plug one in or switch one on, then connect again.");
    case "OverconstrainedError":
      return new CallError("That microphone is gone.", "Choose another one, then connect again.");
    case "NotReadableError":
    case "AbortError":
      return new CallError("The microphone cannot be opened.", "Another program may be using it. Close that one, then connect again.");
    default:
      return new CallError("The microphone cannot be opened.", `${error.name}: ${error.message}`);
  }
}
