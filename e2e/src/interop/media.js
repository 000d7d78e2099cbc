// What the pages of all clients share: a microphone, waiting, and what a connection says of itself.
export const microphone = () =>
    navigator.mediaDevices.getUserMedia({
        audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
    });

export const until = async (what, test, millis = 15_000) => {
    const start = performance.now();
    while (!(await test())) {
        if (performance.now() - start > millis) throw new Error(`not within ${millis} ms: ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return performance.now() - start;
};

export const stat = async (connection, type, key) => {
    for (const report of (await connection.getStats()).values()) {
        if (report.type === type && report[key] !== undefined) return report[key];
    }
    return 0;
};

export const connected = (connection) =>
    until('connected', () => connection.connectionState === 'connected');

export const flowing = async (connection, type, key) => {
    const before = await stat(connection, type, key);
    await until(`more ${type} ${key}`, async () => (await stat(connection, type, key)) >= before + 50);
};

// Records every exchange, to see what a client really asked for.
export const watchFetch = () => {
    const seen = [];
    const fetchFor = window.fetch.bind(window);
    window.fetch = async (target, options = {}) => {
        const response = await fetchFor(target, options);
        seen.push({
            method: options.method ?? 'GET',
            path: new URL(target.url ?? target, location).pathname,
            status: response.status,
        });
        return response;
    };
    return seen;
};
