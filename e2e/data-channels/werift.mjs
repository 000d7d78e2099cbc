// Puts a running Parley's data channels to the test with werift, a WebRTC stack of its own in TypeScript:
//   npm install && node werift.mjs http://127.0.0.1:8080
import { readFile } from 'node:fs/promises';
import { MediaStreamTrack, RTCPeerConnection } from 'werift';

const [base = 'http://127.0.0.1:8080', opens = '1000'] = process.argv.slice(2);
const source = new URL('../src/test/resources/dev/parley/e2e/client/datachannels.js', import.meta.url);
const run = (0, eval)(await readFile(source, 'utf8'));
const figures = await run({
    base,
    model: 'echo',
    opens: Number(opens),
    RTCPeerConnection,
    addAudio: (connection) => connection.addTransceiver(new MediaStreamTrack({ kind: 'audio' })),
});
console.log(figures);
process.exit(0);
