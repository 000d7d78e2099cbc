// The two discs: yours and the agent's. Apart while idle, over each other during a call, each moved by
// its voice. Draws only while something moves, at most 30 times a second.

const BANDS = 6;
const POINTS = 60;
const FRAME_MS = 1_000 / 31;
const APART = { idle: 1.34, connecting: 0.92, live: 0.56 };

export class Discs {
  #canvas;
  #paint;
  #still = matchMedia("(prefers-reduced-motion: reduce)");
  #discs = [newDisc(-1), newDisc(1)];
  #apart = APART.idle;
  #state = "idle";
  #frame = 0;
  #drawnAt = 0;

  constructor(canvas) {
    this.#canvas = canvas;
    this.#paint = canvas.getContext("2d");
    new ResizeObserver(() => this.#resize()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
    this.#resize();
  }

  /** One of idle, connecting, live. */
  set state(state) {
    this.#state = state;
    if (this.#still.matches) {
      this.#apart = APART[state];
    }
    this.#wake();
  }

  /** Who moves your disc and the agent's; null lets one rest. */
  listen(you, agent) {
    this.#discs[0].voice = you;
    this.#discs[1].voice = agent;
    this.#wake();
  }

  #wake() {
    if (!this.#frame) {
      this.#frame = requestAnimationFrame((now) => this.#tick(now));
    }
  }

  #tick(now) {
    this.#frame = 0;
    if (now - this.#drawnAt >= FRAME_MS) {
      this.#drawnAt = now;
      this.#move();
      this.#draw();
    }
    const listening = this.#discs.some(({ voice }) => voice) && !this.#still.matches;
    if (listening || this.#restless()) {
      this.#wake();
    }
  }

  #restless() {
    return Math.abs(this.#apart - APART[this.#state]) > 0.002 || this.#discs.some(({ bands, voice }) => !voice && bands.some((band) => band > 0.004));
  }

  #move() {
    this.#apart += (APART[this.#state] - this.#apart) * 0.14;
    for (const disc of this.#discs) {
      if (disc.voice && !this.#still.matches) {
        disc.voice.bands(disc.heard);
      } else {
        disc.heard.fill(0);
      }
      for (let i = 0; i < BANDS; i++) {
        // Up at once, down slowly, as voices sound.
        const rise = disc.heard[i] > disc.bands[i] ? 0.55 : 0.16;
        disc.bands[i] += (disc.heard[i] - disc.bands[i]) * rise;
      }
      disc.phase += 0.02 + 0.2 * disc.bands[1];
    }
  }

  #resize() {
    const scale = Math.min(2, window.devicePixelRatio || 1);
    this.#canvas.width = Math.max(1, Math.round(this.#canvas.clientWidth * scale));
    this.#canvas.height = Math.max(1, Math.round(this.#canvas.clientHeight * scale));
    this.#draw();
  }

  #draw() {
    const paint = this.#paint;
    const { width, height } = this.#canvas;
    const style = getComputedStyle(document.documentElement);
    const radius = Math.min(height * 0.36, width * 0.19);
    paint.globalCompositeOperation = "source-over";
    paint.clearRect(0, 0, width, height);
    paint.fillStyle = style.getPropertyValue("--you");
    this.#disc(this.#discs[0], width, height, radius);
    paint.globalCompositeOperation = style.getPropertyValue("--blend").trim();
    paint.fillStyle = style.getPropertyValue("--agent");
    this.#disc(this.#discs[1], width, height, radius);
  }

  // A circle that swells with the voice, with one standing wave around it for each band: low bands
  // give few and wide bumps, high ones many and small.
  #disc(disc, width, height, radius) {
    const paint = this.#paint;
    const centerX = width / 2 + disc.side * this.#apart * radius;
    const loud = disc.bands.reduce((sum, band) => sum + band, 0) / BANDS;
    for (let i = 0; i < POINTS; i++) {
      const turn = (i / POINTS) * 2 * Math.PI;
      let bump = 0;
      for (let k = 0; k < BANDS; k++) {
        bump += ((disc.bands[k] * disc.bands[k]) / (k + 2)) * Math.cos((k + 2) * turn + disc.phase * (k % 2 ? 1 : -1) + k);
      }
      const reach = radius * (1 + 0.16 * loud + 0.11 * bump);
      disc.x[i] = centerX + Math.cos(turn) * reach;
      disc.y[i] = height / 2 + Math.sin(turn) * reach;
    }
    paint.beginPath();
    paint.moveTo((disc.x[POINTS - 1] + disc.x[0]) / 2, (disc.y[POINTS - 1] + disc.y[0]) / 2);
    for (let i = 0; i < POINTS; i++) {
      const next = (i + 1) % POINTS;
      paint.quadraticCurveTo(disc.x[i], disc.y[i], (disc.x[i] + disc.x[next]) / 2, (disc.y[i] + disc.y[next]) / 2);
    }
    paint.fill();
  }
}

function newDisc(side) {
  return {
    side,
    voice: null,
    heard: new Float32Array(BANDS),
    bands: new Float32Array(BANDS),
    phase: 0,
    x: new Float32Array(POINTS),
    y: new Float32Array(POINTS),
  };
}
