// The openai package gets a client secret and ends the call that plain WebRTC starts with it.
import OpenAI from 'openai';
import { connected, flowing, microphone, watchFetch } from './media.js';

window.run = async ({ base, token }) => {
    const seen = watchFetch();
    const client = new OpenAI({
        apiKey: token,
        baseURL: `${base}/v1`,
        dangerouslyAllowBrowser: true,
        maxRetries: 0,
        fetch: window.fetch,
    });
    const secret = await client.realtime.clientSecrets.create({
        expires_after: { anchor: 'created_at', seconds: 60 },
        session: { type: 'realtime', model: 'echo', instructions: 'Say what you hear.' },
    });
    const connection = new RTCPeerConnection();
    const stream = await microphone();
    connection.addTrack(stream.getAudioTracks()[0], stream);
    await connection.setLocalDescription(await connection.createOffer());
    const answer = await fetch(`${base}/v1/realtime/calls`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/sdp', Authorization: `Bearer ${secret.value}` },
        body: connection.localDescription.sdp,
    });
    const call = answer.headers.get('Location').split('/').pop();
    await connection.setRemoteDescription({ type: 'answer', sdp: await answer.text() });
    await connected(connection);
    await flowing(connection, 'inbound-rtp', 'packetsReceived');
    await client.realtime.calls.hangup(call);
    connection.close();
    return { seen, call, secret: secret.value, session: secret.session };
};
