"""Calls a running Parley with GStreamer's webrtcbin: sends ticks as Opus, and listens for them."""

import sys
import urllib.request

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstWebRTC", "1.0")
gi.require_version("GstSdp", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC

SECONDS = 8
PIPELINE = (
    "webrtcbin name=peer bundle-policy=max-bundle "
    "audiotestsrc is-live=true wave=ticks ! audioconvert ! audioresample ! opusenc ! rtpopuspay pt=97 "
    "! application/x-rtp,media=audio,encoding-name=OPUS,payload=97 ! peer."
)

EAR = "rtpopusdepay ! opusdec ! audioconvert ! level interval=20000000 ! fakesink"


class Call:
    def __init__(self, base):
        Gst.init(None)
        self.base, self.loop = base, GLib.MainLoop()
        self.loud = self.all = 0
        self.error = None
        self.pipeline = Gst.parse_launch(PIPELINE)
        self.peer = self.pipeline.get_by_name("peer")
        self.peer.connect("on-negotiation-needed", lambda _: self.ask("create-offer", None, then=self.offered))
        self.peer.connect("notify::ice-gathering-state", lambda *_: self.gathered())
        self.peer.connect("pad-added", lambda _, pad: self.hear(pad))
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message::element", self.measured)
        bus.connect("message::error", lambda _, m: self.fail(m.parse_error()[0].message))

    def fail(self, why):
        self.error = why
        self.loop.quit()

    def ask(self, action, *arguments, then=None):
        promise = Gst.Promise.new_with_change_func(lambda p, *_: then(p), None) if then else Gst.Promise.new()
        self.peer.emit(action, *arguments, promise)

    def offered(self, promise):
        reply = promise.get_reply()
        offer = reply.get_value("offer")
        self.ask("set-local-description", offer)

    def gathered(self):
        if self.peer.get_property("ice-gathering-state") != GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            return
        offer = self.peer.get_property("local-description").sdp.as_text()
        address, headers = f"{self.base}/v1/realtime/calls?model=echo", {"Content-Type": "application/sdp"}
        request = urllib.request.Request(address, offer.encode(), headers)
        with urllib.request.urlopen(request) as response:
            _, sdp = GstSdp.SDPMessage.new_from_text(response.read().decode())
        answer = GstWebRTC.WebRTCSessionDescription.new(GstWebRTC.WebRTCSDPType.ANSWER, sdp)
        self.ask("set-remote-description", answer)

    def hear(self, pad):
        ear = Gst.parse_bin_from_description(EAR, True)
        self.pipeline.add(ear)
        ear.sync_state_with_parent()
        pad.link(ear.get_static_pad("sink"))

    def measured(self, _, message):
        if message.get_structure().get_name() == "level":
            self.all += 1
            self.loud += max(message.get_structure().get_value("peak")) > -30

    def run(self):
        self.pipeline.set_state(Gst.State.PLAYING)
        GLib.timeout_add_seconds(SECONDS, self.loop.quit)
        self.loop.run()
        self.pipeline.set_state(Gst.State.NULL)
        print(f"{Gst.version_string()}: {self.all} blocks of 20 ms heard in {SECONDS} s, {self.loud} loud", self.error or "")
        return not self.error and self.all > 250 and self.loud >= 5


if __name__ == "__main__":
    sys.exit(0 if Call(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080").run() else 1)
