// Voice messages from the microphone.

import { close, isAllowed, open } from "../media.js";

/** The forms of a recording that the browser may offer, beginning with the one that most can play. */
const FORMS = ["audio/ogg;codecs=opus", "audio/webm;codecs=opus", "audio/mp4"];
/** The bits per second, at which the longest recording is smaller than the largest file. */
const BIT_RATE = 32_000;
/** The longest recording, and the time between two levels, in milliseconds. */
const LONGEST = 3_600_000;
const PACE = 100;

const form = isAllowed && window.MediaRecorder && FORMS.find((form) => MediaRecorder.isTypeSupported(form));

/** Whether this browser can record. */
export const canRecord = Boolean(form);

/**
 * @typedef {object} RecorderHandlers
 * @property {(level: number, time: number) => void} onLevel the level from 0 to 1, and the time in milliseconds
 * @property {(sound: Blob, isBroken: boolean) => void} onEnd the recording, and whether the microphone has ended it
 * @property {(reason: string) => void} onFailure why nothing can be recorded: `denied`, `missing`, `busy` or `failed`
 */

/** One recording. */
export class Recorder {
  #handlers;
  #stream = null;
  #recorder = null;
  #context = null;
  #timer = 0;
  #isCancelled = false;

  /** @param {RecorderHandlers} handlers */
  constructor(handlers) {
    this.#handlers = handlers;
  }

  async start() {
    const { stream, problems: [problem] } = await open({ audio: "" });
    if (this.#isCancelled || problem) {
      close(stream);
      if (problem && !this.#isCancelled) this.#handlers.onFailure(problem.why);
      return;
    }
    this.#stream = stream;
    try {
      this.#begin(stream);
    } catch {
      this.cancel();
      this.#release();
      this.#handlers.onFailure("failed");
    }
  }

  #begin(stream) {
    const parts = [];
    const recorder = new MediaRecorder(stream, { mimeType: form, audioBitsPerSecond: BIT_RATE });
    let isBroken = false;
    recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
    recorder.addEventListener("error", () => (isBroken = true));
    recorder.addEventListener("stop", () => {
      this.#release();
      if (!this.#isCancelled) this.#handlers.onEnd(new Blob(parts, { type: form }), isBroken);
    });
    stream.getAudioTracks()[0].addEventListener("ended", () => (isBroken = true));
    recorder.start(1000);
    this.#recorder = recorder;
    this.#measure(stream);
  }

  /** Ends the recording, which is handed over soon; false if none has begun, so that there will be none. */
  stop() {
    if (this.#recorder?.state === "recording") this.#recorder.stop();
    else if (!this.#recorder) this.cancel();
    return this.#recorder !== null;
  }

  /** Ends the recording, which nobody wants. */
  cancel() {
    this.#isCancelled = true;
    if (this.#recorder?.state === "recording") this.#recorder.stop();
  }

  #measure(stream) {
    const begin = performance.now();
    this.#context = new AudioContext();
    const analyser = this.#context.createAnalyser();
    this.#context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    this.#timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      const time = performance.now() - begin;
      // Speech has a tenth of the greatest amplitude.
      this.#handlers.onLevel(Math.min(1, Math.sqrt(power) * 4), time);
      if (time >= LONGEST) this.stop();
    }, PACE);
  }

  #release() {
    clearInterval(this.#timer);
    this.#context?.close();
    if (this.#stream) close(this.#stream);
  }
}
