// The whip-whep package: trickles with If-Match, restarts ICE, ends with DELETE.
import { WHIPClient } from 'whip-whep/whip.js';
import { connected, flowing, microphone, stat, until, watchFetch } from './media.js';

window.run = async ({ base, token }) => {
    const seen = watchFetch();
    const connection = new RTCPeerConnection();
    for (const track of (await microphone()).getTracks()) {
        connection.addTransceiver(track, { direction: 'sendonly' });
    }
    const client = new WHIPClient();
    await client.publish(connection, `${base}/whip/echo`, token);
    await connected(connection);
    await flowing(connection, 'outbound-rtp', 'packetsSent');
    await until('trickle', () => seen.some(({ method }) => method === 'PATCH'));

    const ufrag = () => connection.remoteDescription.sdp.match(/a=ice-ufrag:(.*)\r\n/)[1];
    const before = ufrag();
    await client.restart();
    await until('restart', () => ufrag() !== before);
    await flowing(connection, 'outbound-rtp', 'packetsSent');
    const lost = await stat(connection, 'remote-inbound-rtp', 'packetsLost');
    await client.stop();
    return { seen, lost };
};
