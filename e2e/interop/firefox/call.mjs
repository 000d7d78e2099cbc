// Calls a running Parley from its own page's origin with a headless Firefox, over WebDriver BiDi.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import WebSocket from 'ws';

const [base = 'http://127.0.0.1:8080'] = process.argv.slice(2);
const PREFS = {
    'media.navigator.permission.disabled': true,
    'media.navigator.streams.fake': true,
    'media.peerconnection.ice.loopback': true,
    'media.peerconnection.ice.obfuscate_host_addresses': false,
    'media.autoplay.default': 0,
    'app.update.enabled': false,
    'datareporting.policy.dataSubmissionEnabled': false,
    'network.captive-portal-service.enabled': false,
    'network.connectivity-service.enabled': false,
};
const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'firefox-'));
fs.writeFileSync(
    path.join(profile, 'user.js'),
    Object.entries(PREFS).map(([key, value]) => `user_pref("${key}", ${value});\n`).join(''),
);
const firefox = spawn(
    'firefox-esr',
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    { env: { ...process.env, HOME: profile, MOZ_DISABLE_CONTENT_SANDBOX: '1' } },
);
const end = (code) => {
    firefox.kill();
    firefox.on('exit', () => {
        fs.rmSync(profile, { recursive: true, force: true });
        process.exit(code);
    });
};
const url = await new Promise((resolve, reject) => {
    let text = '';
    firefox.stderr.on('data', (data) => {
        text += data;
        const found = text.match(/ws:\/\/\S+/);
        if (found) resolve(found[0]);
    });
    setTimeout(() => reject(new Error(text)), 60_000);
});
const socket = new WebSocket(`${url}/session`);
await new Promise((resolve) => socket.on('open', resolve));
let calls = 0;
const waiting = new Map();
socket.on('message', (text) => {
    const message = JSON.parse(text);
    waiting.get(message.id)?.(message);
});
const command = (method, params) =>
    new Promise((resolve, reject) => {
        waiting.set(++calls, (m) => (m.type === 'error' ? reject(new Error(`${m.error}: ${m.message}`)) : resolve(m.result)));
        socket.send(JSON.stringify({ id: calls, method, params }));
    });

const page = async () => {
    const within = (promise, what) =>
        Promise.race([promise, new Promise((_, no) => setTimeout(() => no(new Error(`${what}: nothing after 20 s`)), 20_000))]);
    const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));
    const figures = {};
    const microphone = await navigator.mediaDevices.getUserMedia({ audio: true });
    const connection = new RTCPeerConnection();
    connection.addTrack(microphone.getAudioTracks()[0], microphone);
    connection.ontrack = ({ track, streams }) => {
        const player = new Audio();
        player.srcObject = streams[0] ?? new MediaStream([track]);
        player.play().catch(() => {});
        figures.streams = streams.length;
    };
    const events = connection.createDataChannel('oai-events');
    const opened = new Promise((resolve) => { events.onopen = resolve; });
    const connected = new Promise((resolve, reject) => {
        connection.onconnectionstatechange = () => {
            if (connection.connectionState === 'connected') resolve();
            if (connection.connectionState === 'failed') reject(new Error('connection failed'));
        };
    });
    await connection.setLocalDescription(await connection.createOffer());
    const begun = performance.now();
    const send = (address, method) =>
        fetch(address, { method, headers: { 'Content-Type': 'application/sdp' }, body: connection.localDescription.sdp });
    const answer = async (response) => {
        const sdp = await response.text();
        if (!response.ok) throw new Error(`${response.status} ${sdp}`);
        await connection.setRemoteDescription({ type: 'answer', sdp });
    };
    const response = await send('/v1/realtime/calls?model=echo', 'POST');
    await answer(response);
    await within(connected, 'connected');
    figures.connectedMillis = Math.round(performance.now() - begun);
    await within(opened, 'data channel');
    events.binaryType = 'arraybuffer';
    for (const said of ['hello', 'gr\u00fc\u00df', '', 'x'.repeat(200_000)]) {
        const heard = new Promise((resolve) => { events.onmessage = ({ data }) => resolve(data); });
        events.send(said);
        if ((await within(heard, 'echo')) !== said) throw new Error('other text came back');
    }
    const stats = async () => {
        const all = [...(await connection.getStats()).values()];
        const of = (type) => all.find((report) => report.type === type) ?? {};
        const pair = all.find((report) => report.type === 'candidate-pair' && report.selected) ?? {};
        return {
            sent: of('outbound-rtp').packetsSent,
            received: of('inbound-rtp').packetsReceived,
            lost: of('inbound-rtp').packetsLost,
            energy: of('inbound-rtp').totalAudioEnergy,
            remoteSeen: of('remote-inbound-rtp').packetsLost !== undefined,
            roundTripSeconds: of('remote-inbound-rtp').roundTripTime,
            pair: pair.id,
        };
    };
    await pause(5_000);
    figures.before = await stats();
    const restarted = performance.now();
    connection.restartIce();
    await connection.setLocalDescription(await connection.createOffer());
    await answer(await send(response.headers.get('Location'), 'PATCH'));
    while (['new', 'checking'].includes(connection.iceConnectionState) && performance.now() - restarted < 15_000) await pause(20);
    figures.restartMillis = Math.round(performance.now() - restarted);
    figures.iceState = connection.iceConnectionState;
    await pause(4_000);
    figures.after = await stats();
    figures.hangup = (await fetch(response.headers.get('Location'), { method: 'DELETE' })).status;
    connection.close();
    return JSON.stringify(figures);
};

let code = 1;
try {
    const session = await command('session.new', { capabilities: {} });
    const { contexts } = await command('browsingContext.getTree', {});
    const { context } = contexts[0];
    await command('browsingContext.navigate', { context, url: `${base}/`, wait: 'complete' });
    const { result, exceptionDetails } = await command('script.evaluate', {
        expression: `(${page})()`,
        target: { context },
        awaitPromise: true,
    });
    console.log('Firefox', session.capabilities.browserVersion);
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    const figures = JSON.parse(result.value);
    console.log(figures);
    const { before, after } = figures;
    if (!(before.received > 200 && before.sent > 200 && before.energy > 0)) throw new Error('no audio both ways');
    if (!(after.received > before.received + 150)) throw new Error('no audio after the ICE restart');
    code = 0;
} catch (error) {
    console.error('failed:', error.message);
}
end(code);
