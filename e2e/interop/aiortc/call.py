"""Calls a running Parley with aiortc: a tone that comes and goes must come back, and data channels are echoed."""

import array
import asyncio
import contextlib
import fractions
import math
import sys
import time
import urllib.request

import aiortc
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import AudioFrame

RATE = 48_000
FRAME = 960
TONE_HZ = 440
WAIT_SECONDS = 10


class Tone(MediaStreamTrack):
    """Half a second of a tone, half a second of silence."""

    kind = "audio"

    def __init__(self):
        super().__init__()
        self.frames = 0
        self.begun = time.monotonic()

    async def recv(self):
        await asyncio.sleep(max(0, self.begun + self.frames * FRAME / RATE - time.monotonic()))
        first = self.frames * FRAME
        level = 9_000 if self.frames // 25 % 2 == 0 else 0
        samples = (level * math.sin(2 * math.pi * TONE_HZ * (first + i) / RATE) for i in range(FRAME))
        frame = AudioFrame(format="s16", layout="mono", samples=FRAME)
        frame.planes[0].update(array.array("h", map(int, samples)).tobytes())
        frame.pts, frame.sample_rate, frame.time_base = first, RATE, fractions.Fraction(1, RATE)
        self.frames += 1
        return frame


class Heard:
    """Counts frames that are the tone, and those that are silent."""

    def __init__(self):
        self.tone = self.silent = 0

    async def listen(self, track):
        with contextlib.suppress(MediaStreamError):
            while True:
                self.take(await track.recv())

    def take(self, frame):
        channels = len(frame.layout.channels)
        samples = array.array("h", bytes(frame.planes[0])[: 2 * channels * frame.samples])[::channels]
        energy = sum(s * s for s in samples) / len(samples)
        angles = [2 * math.pi * TONE_HZ * i / frame.sample_rate for i in range(len(samples))]
        cosine = sum(s * math.cos(a) for s, a in zip(samples, angles)) / len(samples)
        sine = sum(s * math.sin(a) for s, a in zip(samples, angles)) / len(samples)
        self.tone += energy > 1e6 and 2 * (cosine**2 + sine**2) > 0.8 * energy
        self.silent += energy < 1e4


def once(emitter, event):
    future = asyncio.get_running_loop().create_future()
    emitter.once(event, lambda *args: future.done() or future.set_result(args[0] if args else None))
    return asyncio.wait_for(future, WAIT_SECONDS)


async def opened(channel):
    if channel.readyState != "open":
        await once(channel, "open")


async def echo(channel, said):
    heard = once(channel, "message")
    channel.send(said)
    if (await heard) != said:
        raise ValueError(f"{len(said)} came back as others")


def offer_to(base, sdp):
    headers = {"Content-Type": "application/sdp"}
    request = urllib.request.Request(f"{base}/v1/realtime/calls?model=echo", sdp.encode(), headers)
    with urllib.request.urlopen(request) as response:
        return response.read().decode()


async def call(base, opens):
    connection, heard = aiortc.RTCPeerConnection(), Heard()
    connection.addTrack(Tone())
    connection.on("track", lambda track: asyncio.ensure_future(heard.listen(track)))
    events = connection.createDataChannel("oai-events")
    await connection.setLocalDescription(await connection.createOffer())
    answer = await asyncio.to_thread(offer_to, base, connection.localDescription.sdp)
    begun = time.monotonic()
    await connection.setRemoteDescription(aiortc.RTCSessionDescription(answer, "answer"))
    await opened(events)
    print(f"aiortc {aiortc.__version__}: data channel open after {1000 * (time.monotonic() - begun):.0f} ms")
    for said in ["hello", "grüß \U0001f600", b"\0\xff\7", "x" * 65_536, b"y" * 65_536, "", b""]:
        await echo(events, said)
    begun = time.monotonic()
    for i in range(opens):
        channel = connection.createDataChannel(f"c{i}")
        await opened(channel)
        await echo(channel, f"m{i}")
        closed = once(channel, "close")
        channel.close()
        await closed
    print(f"{opens} channels opened, used and closed in {time.monotonic() - begun:.1f} s")
    tone, silent = heard.tone, heard.silent
    await asyncio.sleep(8)
    tone, silent = heard.tone - tone, heard.silent - silent
    print(f"heard in 8 s: {tone} frames of the tone, {silent} of silence")
    await connection.close()
    return tone > 150 and silent > 100


if __name__ == "__main__":
    address = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
    sys.exit(0 if asyncio.run(call(address, int(sys.argv[2]) if len(sys.argv) > 2 else 100)) else 1)
