// The agents SDK of the Realtime API holds a conversation with the stub's script: a greeting, a turn that the caller
// interrupts, and a tool call. Nothing of it is changed but where it calls.
import { OpenAIRealtimeWebRTC, RealtimeAgent, RealtimeSession, tool } from '@openai/agents-realtime';
import { flowing, microphone, until, watchFetch } from './media.js';

const SCRIPT = {
    turns: [
        { when: 'request', do: [{ tell: 'Hello. What can I do for you?' }, { tone: '1s' }] },
        { when: 'utterance', do: [{ tell: 'That is a long story.' }, { tone: '60s' }, { pause: '60s' }] },
        { when: 'request', matching: 'weather', do: [{ call: 'weather {"city":"Bonn"}' }] },
        { when: 'request', matching: 'sunny', do: [{ tell: 'It is sunny in Bonn.' }, { tone: '1s' }] },
    ],
};

const secretFor = async (base, token) => {
    const answer = await fetch(`${base}/v1/realtime/client_secrets`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body: JSON.stringify({ session: { type: 'realtime', model: 'scripted', script: SCRIPT } }),
    });
    return (await answer.json()).value;
};

window.run = async ({ base, token }) => {
    const seen = watchFetch();
    const events = [];
    const errors = [];
    const asked = [];
    const weather = tool({
        name: 'weather',
        description: 'Tells the weather in a city.',
        strict: false,
        parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: true,
        },
        execute: async (input) => {
            asked.push(input);
            return 'sunny';
        },
    });
    // The caller says nothing yet.
    const mediaStream = await microphone();
    mediaStream.getAudioTracks()[0].enabled = false;
    const transport = new OpenAIRealtimeWebRTC({ baseUrl: `${base}/v1/realtime/calls`, mediaStream });
    const agent = new RealtimeAgent({ name: 'Test', instructions: 'Be brief.', tools: [weather] });
    const session = new RealtimeSession(agent, { transport });
    let histories = 0;
    session.on('transport_event', (event) => events.push(event));
    session.on('error', (error) => errors.push(JSON.stringify(error)));
    session.on('history_updated', () => histories++);
    const count = (type) => events.filter((event) => event.type === type).length;
    const heard = (type, times = 1) =>
        until(type, () => count(type) >= times).catch((late) => {
            const types = events.map((event) => event.type).join(' ');
            throw new Error(`${late.message}; there were ${types}; errors: ${errors}`);
        });

    const before = performance.now();
    await session.connect({ apiKey: await secretFor(base, token) });
    const connectMillis = performance.now() - before;
    const connection = transport.connectionState.peerConnection;
    transport.requestResponse();
    await heard('output_audio_buffer.stopped');
    await flowing(connection, 'inbound-rtp', 'packetsReceived');

    // A turn of the caller, and its answer.
    const speeches = count('input_audio_buffer.speech_started');
    session.mute(false);
    await heard('input_audio_buffer.speech_started', speeches + 1);
    await flowing(connection, 'outbound-rtp', 'packetsSent');
    session.mute(true);
    await heard('output_audio_buffer.started', 2);

    // An interruption.
    session.mute(false);
    await heard('conversation.item.truncated');
    session.mute(true);

    // A tool, once nobody speaks any more.
    await until('silence', () =>
        count('input_audio_buffer.speech_started') === count('input_audio_buffer.speech_stopped'));
    session.sendMessage('How is the weather?');
    await heard('output_audio_buffer.stopped', 2);
    await until('the tool in history', () =>
        session.history.some((item) => item.type === 'function_call' && item.status === 'completed'));
    const { history } = session;
    const { callId } = transport;
    session.close();
    return {
        seen, connectMillis, callId, asked, errors, histories, history,
        events: events.map((event) => ({
            type: event.type,
            response: event.response_id ?? event.response?.id,
            item: event.item_id ?? event.item?.id,
            status: event.response?.status,
            millis: event.audio_end_ms,
        })),
    };
};
