// Puts a call's data channels to the test against an agent that echoes, with any implementation of WebRTC in JavaScript:
// in a browser, or with werift by e2e/interop/werift. Answers what was measured; throws at what goes wrong.
async ({ base, model, opens, RTCPeerConnection, addAudio, longest = 262_144, empty = true, restMillis = 0, load = 2_000 }) => {
    const connection = new RTCPeerConnection();
    await addAudio(connection);
    const figures = {};

    const within = (promise, what, millis = 30_000, waits = () => '') => {
        let timer;
        const late = new Promise((_, reject) => {
            timer = setTimeout(() => reject(new Error(`${what}: nothing after ${millis} ms${waits()}`)), millis);
        });
        return Promise.race([promise, late]).finally(() => clearTimeout(timer));
    };
    const event = (channel, kind) => new Promise((resolve) => channel.addEventListener(kind, resolve, { once: true }));
    const opened = (channel) => (channel.readyState === 'open' ? Promise.resolve() : event(channel, 'open'));
    const size = (data) => (typeof data === 'string' ? data.length : data.byteLength);
    const equal = (a, b) => {
        if (typeof a === 'string' || typeof b === 'string') return a === b;
        const [x, y] = [new Uint8Array(a), new Uint8Array(b)];
        return x.length === y.length && x.every((byte, i) => byte === y[i]);
    };
    // Browsers give what the channel's binaryType says, others buffers.
    const bytes = (data) => (typeof data === 'string' ? data : new Uint8Array(data).buffer);
    const collect = (channel, count, what) => {
        const got = [];
        return within(
            new Promise((resolve) => {
                channel.onmessage = ({ data }) => {
                    got.push(bytes(data));
                    if (got.length === count) resolve(got);
                };
            }),
            what,
            120_000,
            () =>
                `; ${got.length} of ${count} came, the channel is ${channel.readyState}, ` +
                `${channel.bufferedAmount} bytes wait`,
        );
    };

    const events = connection.createDataChannel('oai-events');
    events.binaryType = 'arraybuffer';
    const negotiated = connection.createDataChannel('known', { negotiated: true, id: 100 });
    const offer = await connection.createOffer();
    await connection.setLocalDescription(offer);
    const response = await fetch(`${base}/v1/realtime/calls?model=${model}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/sdp', Authorization: 'Bearer anything' },
        body: connection.localDescription.sdp,
    });
    const answer = await response.text();
    if (response.status !== 201) throw new Error(`${response.status} ${answer}`);
    const begun = performance.now();
    await connection.setRemoteDescription({ type: 'answer', sdp: answer });
    await within(opened(events), 'the channel opens');
    figures.openMillis = performance.now() - begun;

    const long = new Uint8Array(longest).map((_, i) => (i * 31) & 0xff);
    const nothing = empty ? ['', new ArrayBuffer(0)] : [];
    const said = ['hello', 'grüß \u{1f600}', new Uint8Array([0, 255, 7]).buffer, ...nothing, long.buffer];
    const kindsBegun = performance.now();
    const kinds = collect(events, said.length, 'messages of all kinds');
    for (const message of said) events.send(message);
    (await kinds).forEach((message, i) => {
        if (!equal(message, said[i])) throw new Error(`message ${i} came back as ${size(message)} other bytes`);
    });
    figures.kindsMillis = performance.now() - kindsBegun;

    await within(opened(negotiated), 'the negotiated channel opens');
    const back = collect(negotiated, 1, 'an answer on the negotiated channel');
    negotiated.send('no opening');
    if ((await back)[0] !== 'no opening') throw new Error('the negotiated channel answered something else');

    figures.loadBytes = 0;
    const loadBegun = performance.now();
    const loaded = collect(events, load, 'the echo of a load');
    for (let i = 0; i < load; i++) {
        const message = `${i} ${'x'.repeat(i % 20 === 0 ? 20_000 : 200)}`;
        figures.loadBytes += message.length;
        events.send(message);
        while (events.bufferedAmount > 1_000_000) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    (await loaded).forEach((message, i) => {
        if (!message.startsWith(`${i} `)) throw new Error(`message ${i} is out of order: ${message.slice(0, 20)}`);
    });
    figures.loadMillis = performance.now() - loadBegun;

    const churnBegun = performance.now();
    const ids = new Set();
    for (let i = 0; i < opens; i++) {
        const channel = connection.createDataChannel(`c${i}`);
        await within(opened(channel), `channel ${i} opens`);
        const echoed = collect(channel, 1, `channel ${i} answers`);
        channel.send(`m${i}`);
        if ((await echoed)[0] !== `m${i}`) throw new Error(`channel ${i} answered something else`);
        ids.add(channel.id);
        const closed = event(channel, 'close');
        channel.close();
        await within(closed, `channel ${i} closes`);
        if (restMillis) await new Promise((resolve) => setTimeout(resolve, restMillis));
    }
    figures.churnMillis = performance.now() - churnBegun;
    figures.streams = ids.size;

    const closedByAgent = event(events, 'close');
    events.send('please close');
    await within(closedByAgent, 'the agent closes the channel');
    await connection.close();
    return JSON.stringify(figures);
}
