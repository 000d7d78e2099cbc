// Calls a running Parley with libdatachannel (libjuice, usrsctp, libsrtp): Opus packets and data channels, both echoed.
import { setTimeout as pause } from 'node:timers/promises';
import nodeDataChannel from 'node-datachannel';

const [base = 'http://127.0.0.1:8080', opens = '1000'] = process.argv.slice(2);
const SSRC = 4_012_345_678;
const within = (promise, what, millis = 20_000) =>
    Promise.race([promise, pause(millis, undefined, { ref: false }).then(() => Promise.reject(new Error(`${what}: nothing after ${millis} ms`)))]);
const echo = async (channel, said) => {
    const heard = new Promise((resolve) => channel.onMessage(resolve));
    const taken = typeof said === 'string' ? channel.sendMessage(said) : channel.sendMessageBinary(said);
    if (!taken) throw new Error('the message was not taken');
    const got = await within(heard, `an echo of ${said.length}`);
    if (typeof got !== typeof said || Buffer.compare(Buffer.from(got), Buffer.from(said)) !== 0) {
        throw new Error(`${said.length} came back as ${got.length} others`);
    }
};

const connection = new nodeDataChannel.PeerConnection('caller', { iceServers: [], maxMessageSize: 262_144 });
const gathered = new Promise((resolve) => {
    connection.onGatheringStateChange((state) => state === 'complete' && resolve());
});
const audio = new nodeDataChannel.Audio('0', 'SendRecv');
audio.addOpusCodec(111, 'minptime=10;useinbandfec=1');
audio.addSSRC(SSRC, 'caller', 'stream', 'audio');
const track = connection.addTrack(audio);
const events = connection.createDataChannel('oai-events');
const opened = new Promise((resolve) => events.onOpen(resolve));
await within(gathered, 'candidates');
const response = await fetch(`${base}/v1/realtime/calls?model=echo`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/sdp' },
    body: connection.localDescription().sdp,
});
const answer = await response.text();
if (response.status !== 201) throw new Error(`${response.status} ${answer}`);
const begun = performance.now();
connection.setRemoteDescription(answer, 'answer');
await within(opened, 'the channel opens');
const figures = { openMillis: Math.round(performance.now() - begun) };

let received = 0;
track.onMessage((packet) => {
    if ((packet[1] & 0x7f) === 111) received++;
});
// A frame of 20 ms, CELT, 48 kHz: silence as libopus encodes it.
const packet = Buffer.from([0x80, 111, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xfc, 0xff, 0xfe]);
packet.writeUInt32BE(SSRC, 8);
let sent = 0;
const speaking = setInterval(() => {
    packet.writeUInt16BE(++sent & 0xffff, 2);
    packet.writeUInt32BE(sent * 960, 4);
    track.sendMessageBinary(packet);
}, 20);

for (const said of ['hello', 'grüß \u{1f600}', Buffer.from([0, 255, 7]), '', Buffer.alloc(0), Buffer.alloc(262_144, 9)]) {
    await echo(events, said);
}
const churnBegun = performance.now();
for (let i = 0; i < Number(opens); i++) {
    const channel = connection.createDataChannel(`c${i}`);
    await within(channel.isOpen() || new Promise((resolve) => channel.onOpen(resolve)), `channel ${i} opens`);
    await echo(channel, `m${i}`);
    const closed = new Promise((resolve) => channel.onClosed(resolve));
    channel.close();
    await within(closed, `channel ${i} closes`);
}
figures.churnMillis = Math.round(performance.now() - churnBegun);
const closed = new Promise((resolve) => events.onClosed(resolve));
events.sendMessage('please close');
await within(closed, 'the agent closes the channel');

const [sentBefore, receivedBefore] = [sent, received];
await pause(5_000);
figures.sent = sent - sentBefore;
figures.received = received - receivedBefore;
clearInterval(speaking);
console.log(figures);
connection.close();
process.exit(figures.received > 0.9 * figures.sent ? 0 : 1);
