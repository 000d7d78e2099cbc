// Puts a running Parley's data channels to the test with werift, a WebRTC stack of its own in TypeScript. It sends no empty
// messages, takes none above 64 KiB, and reuses a stream before our side of it is reset unless it is given a moment.
import { readFile } from 'node:fs/promises';
import { MediaStreamTrack, RTCPeerConnection } from 'werift';

const [base = 'http://127.0.0.1:8080', opens = '1000'] = process.argv.slice(2);
const source = new URL('../../src/test/resources/dev/parley/e2e/client/datachannels.js', import.meta.url);
const run = (0, eval)(await readFile(source, 'utf8'));
const figures = await run({
    base,
    model: 'echo',
    opens: Number(opens),
    longest: 65_536,
    empty: false,
    restMillis: 1,
    RTCPeerConnection,
    addAudio: (connection) => connection.addTransceiver(new MediaStreamTrack({ kind: 'audio' })),
});
console.log(figures);
process.exit(0);
