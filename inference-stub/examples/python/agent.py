#!/usr/bin/env python3
"""A voice agent for Parley: listens, answers each utterance with beeps and an event, stops when interrupted.

Your model goes where `answer` is. Generate the stubs and run it:
    python -m grpc_tools.protoc -I proto/src/main/protobuf --python_out=. --grpc_python_out=. \
        parley/inference/v1/voice_agent.proto
    python agent.py --port 50051
"""
import argparse
import array
import asyncio
import json
import math
import signal

import grpc
from parley.inference.v1 import voice_agent_pb2 as va
from parley.inference.v1 import voice_agent_pb2_grpc as va_grpc

RATE_HZ = 16_000
FORMAT = va.AudioFormat(encoding=va.AUDIO_ENCODING_LINEAR16, sample_rate_hz=RATE_HZ)
SPEECH_RMS = 700  # of 32,768; a product would use a model
START_MS = 60  # so much loud audio is speech, less was a click
STOP_MS = 500  # so much quiet ends an utterance

class Detector:
    """Tells where an utterance starts and stops, by loudness."""

    def __init__(self):
        self.speaking = False
        self.loud_ms = self.quiet_ms = self.utterance_ms = 0

    def hear(self, samples):
        """Takes samples; answers "started", "stopped" or None."""
        ms = len(samples) * 1000 // RATE_HZ
        if math.sqrt(sum(s * s for s in samples) / len(samples)) <= SPEECH_RMS:
            return self.silence(ms)
        self.loud_ms, self.quiet_ms = self.loud_ms + ms, 0
        self.utterance_ms += ms
        if not self.speaking and self.loud_ms >= START_MS:
            self.speaking, self.utterance_ms = True, self.loud_ms
            return "started"
        return None

    def silence(self, ms):
        self.quiet_ms += ms
        if self.quiet_ms >= 100:
            self.loud_ms = 0
        if self.speaking and self.quiet_ms >= STOP_MS:
            self.speaking = False
            return "stopped"
        return None

class Call:
    """One caller. Reads in `run`, answers in a task of its own so that it can be interrupted."""

    def __init__(self, context):
        self.context = context
        self.detector = Detector()
        self.heard_ms = 0  # where the next audio is expected on the caller's clock
        self.responses = 0
        self.playing = None  # the response that the caller may still be hearing
        self.answering = self.silence = None
        self.writing = asyncio.Lock()  # a stream takes one write at a time

    async def run(self):
        try:
            while (request := await self.context.read()) is not grpc.aio.EOF:
                kind = request.WhichOneof("message")
                if kind == "session_start":
                    await self.send(session_ready=va.SessionReady(input_format=FORMAT, output_format=FORMAT))
                elif kind == "input_audio":
                    await self.hear(request.input_audio)
                elif kind == "playback_stopped" and request.playback_stopped.response_id == self.playing:
                    self.playing = None
                elif kind == "playback_cleared":
                    cut = request.playback_cleared
                    print(f"interrupted {cut.response_id} after {cut.audio_end_ms} ms", flush=True)
                elif kind == "client_event":
                    await self.send(server_event=va.ServerEvent(text=request.client_event.text))
        finally:
            for pending in filter(None, (self.answering, self.silence)):
                pending.cancel()

    async def hear(self, audio):
        # In silence the caller's side may send nothing: the offsets tell of it afterwards, a timer meanwhile.
        if self.silence:
            self.silence.cancel()
        self.silence = asyncio.get_running_loop().call_later(STOP_MS / 1000, self.quiet, STOP_MS)
        self.quiet(audio.audio_offset_ms - self.heard_ms)
        samples = array.array("h", audio.audio)
        self.heard_ms = audio.audio_offset_ms + len(samples) * 1000 // RATE_HZ
        verdict = self.detector.hear(samples)
        if verdict == "started":
            await self.interrupt()
        elif verdict == "stopped":
            self.start_answer()

    def quiet(self, ms):
        if ms > 0 and self.detector.silence(ms) == "stopped":
            self.start_answer()

    async def interrupt(self):
        if self.answering:
            self.answering.cancel()
            self.answering = None
        if self.playing:
            await self.send(clear_audio=va.ClearAudio(response_id=self.playing))
            self.playing = None

    def start_answer(self):
        self.responses += 1
        self.playing = f"answer-{self.responses}"
        self.answering = asyncio.create_task(self.answer(self.playing, self.detector.utterance_ms))

    async def answer(self, response_id, utterance_ms):
        await self.send(server_event=va.ServerEvent(text=json.dumps({"type": "heard", "ms": utterance_ms})))
        for _ in range(1 + utterance_ms // 1000):  # a beep for each second begun
            for samples in (beep(0.3), array.array("h", bytes(RATE_HZ // 5 * 2))):
                audio = va.OutputAudio(audio=samples.tobytes(), response_id=response_id)
                await self.send(output_audio=audio)  # faster than real time: the edge paces it

    async def send(self, **message):
        async with self.writing:
            await self.context.write(va.ConverseResponse(**message))

def beep(seconds):
    step = 2 * math.pi * 660 / RATE_HZ
    return array.array("h", (int(8000 * math.sin(i * step)) for i in range(int(RATE_HZ * seconds))))

class Agent(va_grpc.VoiceAgentServicer):
    async def Converse(self, requests, context):
        await Call(context).run()

async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=50051)
    server = grpc.aio.server(options=[("grpc.http2.min_ping_interval_without_data_ms", 10_000)])
    va_grpc.add_VoiceAgentServicer_to_server(Agent(), server)
    port = server.add_insecure_port(f"127.0.0.1:{parser.parse_args().port}")
    await server.start()
    print(f"ready {port}", flush=True)
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stopped.set)
    await stopped.wait()
    await server.stop(grace=1)

if __name__ == "__main__":
    asyncio.run(main())
