"""Calls a running Parley with Debian's GStreamer WHIP client, and watches what it asks for: call.py BASE."""

import http.client
import http.server
import json
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

SECONDS = 6
AUDIO = (
    "audiotestsrc is-live=true wave=ticks ! audioconvert ! audioresample ! opusenc ! rtpopuspay pt=100 ssrc=1 "
    "! queue ! application/x-rtp,media=audio,encoding-name=OPUS,payload=100"
)
WAYS = {"trickling": [], "not trickling": ["--no-trickle"]}


class Watch(http.server.ThreadingHTTPServer):
    """Passes requests on, and keeps what they were and how they were answered."""

    def __init__(self, base):
        super().__init__(("127.0.0.1", 0), Pass)
        self.to = urllib.parse.urlsplit(base).netloc
        self.seen, self.location = [], None
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Pass(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        there = http.client.HTTPConnection(self.server.to)
        headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
        there.request(self.command, self.path, body, headers)
        answer = there.getresponse()
        content = answer.read()
        self.server.seen.append((self.command, answer.status))
        self.server.location = answer.getheader("Location") or self.server.location
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("content-length", "transfer-encoding", "connection", "date", "server"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        there.close()

    do_DELETE = do_GET = do_OPTIONS = do_PATCH = do_POST = pass_on


def describe(base, location):
    call = location.rsplit("/", 1)[-1]
    with urllib.request.urlopen(f"{base}/v1/realtime/calls/{call}") as answer:
        return json.load(answer)


def call(base, way):
    watch = Watch(base)
    url = f"http://127.0.0.1:{watch.server_port}/whip/echo"
    client = subprocess.Popen(["whip-client", "-u", url, "-A", AUDIO, "-l", "2", *WAYS[way]])
    end = time.monotonic() + 30
    while not watch.location and time.monotonic() < end and client.poll() is None:
        time.sleep(0.1)
    time.sleep(SECONDS)
    state = describe(base, watch.location) if watch.location else {}
    client.send_signal(signal.SIGINT)
    try:
        client.wait(20)
    except subprocess.TimeoutExpired:
        client.kill()
    asked = " ".join(f"{method} {status}" for method, status in watch.seen)
    received = state.get("packets_received", 0)
    print(f"{way}: {state.get('state', 'no call')}, {received} packets received in {SECONDS} s; {asked}", flush=True)
    return (
        state.get("state") == "connected"
        and received > 200
        and ("POST", 201) in watch.seen
        and ("DELETE", 200) in watch.seen
    )


if __name__ == "__main__":
    sys.exit(0 if all([call(sys.argv[1], way) for way in WAYS]) else 1)
