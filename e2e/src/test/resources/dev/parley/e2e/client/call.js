// Places one call from the page's origin and keeps what it hears, plain WebRTC, nothing of our page's code. The call is
// window.placedCall: restartIce(), direct() and finish() go on with it.
async ({ model }) => {
    const offered = performance.now();
    const microphone = await navigator.mediaDevices.getUserMedia({
        audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
    });
    const connection = new RTCPeerConnection();
    connection.addTrack(microphone.getAudioTracks()[0], microphone);
    const states = [];
    const connected = new Promise((resolve, reject) => {
        connection.onconnectionstatechange = () => {
            states.push(connection.connectionState);
            if (connection.connectionState === 'connected') resolve(performance.now());
            if (connection.connectionState === 'failed') reject(new Error('connection failed'));
        };
    });
    const heard = [];
    let sampleRate = 0;
    connection.ontrack = async ({ track, streams }) => {
        states.push(`track of ${streams.length} stream`);
        // Remote audio is only decoded while something plays it.
        const player = new Audio();
        player.srcObject = streams[0];
        player.muted = true;
        player.play().catch(() => {});
        const frames = new MediaStreamTrackProcessor({ track }).readable.getReader();
        for (;;) {
            const { value: frame, done } = await frames.read();
            if (done) break;
            sampleRate = frame.sampleRate;
            const samples = new Float32Array(frame.numberOfFrames);
            frame.copyTo(samples, { planeIndex: 0, format: 'f32-planar' });
            heard.push(samples);
            frame.close();
        }
    };
    const offer = await connection.createOffer();
    await connection.setLocalDescription(offer);
    const posted = performance.now();
    const response = await fetch(`/v1/realtime/calls?model=${model}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/sdp', Authorization: 'Bearer anything' },
        body: offer.sdp,
    });
    const answer = await response.text();
    if (response.status !== 201) throw new Error(`${response.status} ${answer}`);
    const location = response.headers.get('Location');
    const answered = performance.now();
    await connection.setRemoteDescription({ type: 'answer', sdp: answer });
    const connectedAt = await connected;

    const collectStats = async () => {
        const reports = [...(await connection.getStats()).values()];
        const stats = {};
        for (const report of reports) {
            if (['inbound-rtp', 'outbound-rtp', 'remote-inbound-rtp', 'transport'].includes(report.type)) {
                stats[report.type] = report;
            }
        }
        const byId = (id) => reports.find((report) => report.id === id);
        stats.pair = byId(stats.transport.selectedCandidatePairId);
        stats.localCandidate = byId(stats.pair.localCandidateId);
        stats.remoteCandidate = byId(stats.pair.remoteCandidateId);
        return stats;
    };

    const offerAgain = async (method) => {
        const again = await connection.createOffer();
        await connection.setLocalDescription(again);
        const reply = await fetch(location, {
            method,
            headers: { 'Content-Type': 'application/sdp', Authorization: 'Bearer anything' },
            body: again.sdp,
        });
        const sdp = await reply.text();
        if (!reply.ok) throw new Error(`${reply.status} ${sdp}`);
        const at = performance.now();
        await connection.setRemoteDescription({ type: 'answer', sdp });
        return { sdp, at };
    };

    const restartIce = async () => {
        const before = (await collectStats()).localCandidate.usernameFragment;
        const started = performance.now();
        connection.restartIce();
        const restarted = await offerAgain('PATCH');
        while ((await collectStats()).localCandidate.usernameFragment === before) {
            if (performance.now() - started > 15_000) throw new Error('the old pair is still in use');
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return JSON.stringify({
            answer: restarted.sdp,
            answeredMillis: restarted.at - started,
            movedMillis: performance.now() - started,
        });
    };

    const direct = async (direction, method) => {
        const [transceiver] = connection.getTransceivers();
        transceiver.direction = direction;
        const { sdp } = await offerAgain(method);
        return JSON.stringify({ answer: sdp, direction: transceiver.currentDirection });
    };

    // A report that is not there counts for nothing: Chromium drops that of a stream that it does not want.
    const packets = async () => {
        const stats = await collectStats();
        return JSON.stringify({
            sent: stats['outbound-rtp']?.packetsSent ?? 0,
            received: stats['inbound-rtp']?.packetsReceived ?? 0,
            ufrag: stats.localCandidate.usernameFragment,
        });
    };

    const finish = async () => {
        const stats = await collectStats();
        const hangup = await fetch(location, { method: 'DELETE' });
        connection.close();
        const pcm = new Int16Array(heard.reduce((sum, block) => sum + block.length, 0));
        let at = 0;
        for (const block of heard) {
            for (const sample of block) pcm[at++] = Math.max(-1, Math.min(1, sample)) * 32767;
        }
        const bytes = new Uint8Array(pcm.buffer);
        let binary = '';
        for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
        return JSON.stringify({
            location,
            answer,
            states,
            hangupStatus: hangup.status,
            sampleRate,
            heardBase64: btoa(binary),
            signalingMillis: answered - posted,
            connectedMillis: connectedAt - posted,
            microphoneMillis: posted - offered,
            stats,
        });
    };
    const heardSeconds = () => (sampleRate ? heard.reduce((sum, block) => sum + block.length, 0) / sampleRate : 0);
    window.placedCall = { restartIce, direct, packets, heardSeconds, finish };
}
