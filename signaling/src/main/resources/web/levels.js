// How loud a voice is now, and its spectrum, through one AnalyserNode each.

const FLOOR_DB = -60;

/** Listens to one stream without playing it. */
export class Voice {
  #analyser;
  #source;
  #wave;
  #spectrum;

  constructor(context, stream) {
    this.#analyser = context.createAnalyser();
    this.#analyser.fftSize = 1_024;
    this.#analyser.smoothingTimeConstant = 0.75;
    this.#source = context.createMediaStreamSource(stream);
    this.#source.connect(this.#analyser);
    this.#wave = new Float32Array(this.#analyser.fftSize);
    this.#spectrum = new Uint8Array(this.#analyser.frequencyBinCount);
  }

  /** Decibels below full scale, from -60 to 0. */
  levelDb() {
    this.#analyser.getFloatTimeDomainData(this.#wave);
    let sum = 0;
    for (const sample of this.#wave) {
      sum += sample * sample;
    }
    const db = 10 * Math.log10(sum / this.#wave.length + 1e-12);
    return Math.min(0, Math.max(FLOOR_DB, db));
  }

  /** Fills bands, each 0 to 1, from about 100 Hz to 4 kHz, each band wider than the last. */
  bands(into) {
    this.#analyser.getByteFrequencyData(this.#spectrum);
    for (let i = 0; i < into.length; i++) {
      const from = Math.floor(2 * Math.pow(40, i / into.length));
      const to = Math.max(from + 1, Math.floor(2 * Math.pow(40, (i + 1) / into.length)));
      let peak = 0;
      for (let bin = from; bin < to; bin++) {
        peak = Math.max(peak, this.#spectrum[bin]);
      }
      into[i] = peak / 255;
    }
  }

  close() {
    this.#source.disconnect();
  }
}

/** A level as part of a meter's width. */
export function fraction(db) {
  return 1 - db / FLOOR_DB;
}
