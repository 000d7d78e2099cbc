/** Benchmarks of the audio path: a transceiver process between callers and a voice agent. */
@NullMarked
package dev.parley.bench.audio;

import org.jspecify.annotations.NullMarked;
