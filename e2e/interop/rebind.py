"""Has a client call a running Parley through a NAT that gives it a new port every few seconds, and tells what it notices.

usage: rebind.py BASE_URL SECONDS COMMAND...

COMMAND gets another base URL in the place of BASE_URL: its answers name candidates of this NAT. Exits with 1 when a path
was asked whether packets arrive there, and the client has not answered.
"""

import http.server
import re
import selectors
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

CANDIDATE = re.compile(rb"(a=candidate:\S+ \d+ udp \d+ )(\S+) (\d+)( typ host)", re.IGNORECASE)
FIRST_SECONDS = 2
SPARED = {"host", "content-length", "transfer-encoding", "connection", "accept-encoding"}
BINDING_REQUEST, BINDING_SUCCESS = b"\x00\x01", b"\x01\x01"


def is_media(datagram):
    """RFC 7983."""
    return b"\x80" <= datagram[:1] <= b"\xbf"


class Binding:
    """A client's address as the world sees it, until it gets another one."""

    def __init__(self, inside, client, server):
        self.inside, self.client, self.server = inside, client, server
        self.outside = socket.socket(inside.family, socket.SOCK_DGRAM)
        self.outside.bind((server[0], 0))


class Rebinding:
    """What became of one of them."""

    def __init__(self):
        self.begun = time.monotonic()
        self.checked = self.heard = None
        self.asked, self.answered = set(), set()

    def __str__(self):
        def after(moment):
            return "never" if moment is None else f"after {1000 * (moment - self.begun):.0f} ms"

        return (
            f"client's check {after(self.checked)}, audio {after(self.heard)}, "
            f"{len(self.asked)} transactions asked, {len(self.answered)} answered"
        )


class Nat(threading.Thread):
    """All its sockets are of one thread; others call translate."""

    def __init__(self, seconds):
        super().__init__(daemon=True)
        self.seconds = seconds
        self.selector = selectors.DefaultSelector()
        self.insides, self.bindings, self.rebindings = {}, {}, [Rebinding()]
        self.lock = threading.Lock()
        self.next = None

    def translate(self, answer):
        return CANDIDATE.sub(self.candidate, answer)

    def candidate(self, found):
        host, port = found[2].decode(), int(found[3])
        with self.lock:
            inside = self.insides.get((host, port))
            if inside is None:
                inside = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
                inside.bind((host, 0))
                self.insides[host, port] = inside
                self.selector.register(inside, selectors.EVENT_READ, (host, port))
        return found[1] + found[2] + b" " + str(inside.getsockname()[1]).encode() + found[4]

    def run(self):
        while True:
            with self.lock:
                ready = self.selector.select(0.01)
                for key, _ in ready:
                    datagram, source = key.fileobj.recvfrom(2048)
                    if isinstance(key.data, Binding):
                        self.down(key.data, datagram)
                    else:
                        self.up(key.fileobj, key.data, source, datagram)
                if self.next is not None and time.monotonic() >= self.next:
                    self.rebind()
            if not ready:
                time.sleep(0.001)

    def up(self, inside, server, client, datagram):
        binding = self.bindings.get((inside, client))
        if binding is None:
            binding = Binding(inside, client, server)
            self.bindings[inside, client] = binding
            self.selector.register(binding.outside, selectors.EVENT_READ, binding)
        now, last = time.monotonic(), self.rebindings[-1]
        if datagram[:2] == BINDING_REQUEST and last.checked is None:
            last.checked = now
        if datagram[:2] == BINDING_SUCCESS:
            for each in self.rebindings:
                each.answered |= each.asked & {datagram[8:20]}
        if self.next is None and is_media(datagram):
            self.next = now + FIRST_SECONDS
        binding.outside.sendto(datagram, server)

    def down(self, binding, datagram):
        last = self.rebindings[-1]
        if datagram[:2] == BINDING_REQUEST:
            last.asked.add(datagram[8:20])
        if is_media(datagram) and last.heard is None:
            last.heard = time.monotonic()
        binding.inside.sendto(datagram, binding.client)

    def rebind(self):
        for binding in self.bindings.values():
            self.selector.unregister(binding.outside)
            binding.outside.close()
        self.bindings.clear()
        self.rebindings.append(Rebinding())
        self.next = time.monotonic() + self.seconds


class Front(http.server.BaseHTTPRequestHandler):
    """Passes requests on, and answers through the NAT."""

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in SPARED}
        request = urllib.request.Request(
            self.server.base + self.path, body or None, headers, method=self.command
        )
        try:
            response = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            answer = self.server.nat.translate(response.read())
            self.send_response(response.status)
            for name, value in response.headers.items():
                if name.lower() not in SPARED:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    do_GET = do_POST = do_PATCH = do_DELETE = do_OPTIONS = pass_on

    def log_message(self, *_):
        pass


def main(base, seconds, command):
    nat = Nat(float(seconds))
    nat.start()
    front = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Front)
    front.base, front.nat = base, nat
    threading.Thread(target=front.serve_forever, daemon=True).start()
    here = f"http://127.0.0.1:{front.server_port}"
    result = subprocess.run([here if part == base else part for part in command]).returncode
    print(f"the call ended with {result}")
    for number, rebinding in enumerate(nat.rebindings):
        print(f"rebinding {number}: {rebinding}" if number else f"first port: {rebinding}")
    asked = [each for each in nat.rebindings if each.asked]
    return 0 if asked and all(each.answered for each in asked) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
