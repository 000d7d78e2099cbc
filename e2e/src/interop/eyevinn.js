// The @eyevinn/whip-web-client package: looks at OPTIONS first, trickles without If-Match.
import { WHIPClient } from '@eyevinn/whip-web-client';
import { connected, flowing, microphone, watchFetch } from './media.js';

window.run = async ({ base, token }) => {
    const seen = watchFetch();
    let connection;
    const client = new WHIPClient({
        endpoint: `${base}/whip/echo`,
        opts: { authkey: token, iceServers: [] },
        peerConnectionFactory: (config) => (connection = new RTCPeerConnection(config)),
    });
    await client.setIceServersFromEndpoint();
    await client.ingest(await microphone());
    await connected(connection);
    await flowing(connection, 'outbound-rtp', 'packetsSent');
    await client.destroy();
    return { seen };
};
