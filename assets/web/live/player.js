// A player of live streams (HLS) in a video element: segments are loaded and repacked for Media Source Extensions.

import { fragment, initialization, mimeType } from "./fragments.js";
import { parse } from "./playlist.js";
import { CLOCK, samples } from "./transport.js";

/** The number of segments behind the end at which playing begins. */
const DISTANCE = 3;
/** The number of target durations behind the end beyond which the player jumps to it. */
const MOST_BEHIND = 6;
/** The seconds of the past that are kept. */
const KEPT = 30;
/** The seconds after which a stream that is not live is looked up again. */
const POLL = 5;
/** The seconds before the first attempts to reach a lost server again. */
const RETRIES = [1, 2, 4, 8, 15];
/** The milliseconds within which a server must answer. */
const PATIENCE = 10_000;
const NATIVE_TYPE = "application/vnd.apple.mpegurl";

/** A response with a status other than 200. */
class Refusal extends Error {
  constructor(status) {
    super(`HTTP status ${status}`);
    this.status = status;
  }
}

/** A stream that this browser cannot play. */
class Unsupported extends Error {}

/**
 * The state of a player.
 * @typedef {object} State
 * @property {"loading" | "playing" | "ended" | "not-live" | "not-found" | "offline" | "unsupported"} name
 * @property {number} [seconds] the time until the server is asked again
 */

export class LivePlayer {
  #video;
  #url;
  #onState;
  #stop = new AbortController();
  #source = null;
  #buffer = null;
  #type = "";
  #parameters = "";
  /** The time in the stream, in units of CLOCK, that is zero in the video element. */
  #start = 0;
  /** The number of the next segment; null before the first one. */
  #next = null;
  #target = 1;

  /**
   * @param {HTMLVideoElement} video
   * @param {string} url the address of the playlist
   * @param {(state: State) => void} onState
   */
  constructor(video, url, onState) {
    [this.#video, this.#url, this.#onState] = [video, url, onState];
  }

  /** Plays until the stream has ended or `stop()` is called. */
  async run() {
    this.#onState({ name: "loading" });
    for (let failures = 0; !this.#isStopped;) {
      try {
        const list = parse(await (await this.#load(this.#url)).text(), this.#url);
        failures = 0;
        if (list.files.length > 0) return await this.#playFiles(list.files);
        if (!globalThis.MediaSource && this.#video.canPlayType(NATIVE_TYPE)) return await this.#playNatively();
        const loaded = performance.now();
        await this.#add(list);
        if (list.isEnded) return await this.#finish();
        await this.#pause(Math.max(0, list.target - (performance.now() - loaded) / 1000));
      } catch (error) {
        if (this.#isStopped) return;
        if (error instanceof Unsupported) return this.#onState({ name: "unsupported" });
        await this.#recover(error, failures);
        failures += 1;
      }
    }
  }

  stop() {
    this.#stop.abort();
    this.#video.removeAttribute("src");
    this.#video.load();
  }

  /** Continues at the newest segments. */
  toLiveEdge() {
    const ranges = this.#video.buffered;
    if (ranges.length === 0) return;
    const end = ranges.end(ranges.length - 1);
    this.#video.currentTime = Math.max(ranges.start(ranges.length - 1), end - (DISTANCE - 1) * this.#target);
    this.#play();
  }

  get #isStopped() {
    return this.#stop.signal.aborted;
  }

  async #load(url) {
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(PATIENCE)]);
    const response = await fetch(url, { signal, cache: "no-store" });
    if (!response.ok) throw new Refusal(response.status);
    return response;
  }

  async #recover(error, failures) {
    const status = error instanceof Refusal ? error.status : 0;
    const names = { 404: "not-found", 412: "not-live" };
    const seconds = names[status] ? POLL : RETRIES[Math.min(failures, RETRIES.length - 1)];
    // What is buffered plays on.
    if (this.#buffer === null || names[status] || this.#isStarved) {
      this.#onState({ name: names[status] ?? "offline", seconds });
    }
    await this.#pause(seconds);
  }

  /** Whether the video has shown all that is buffered. */
  get #isStarved() {
    const ranges = this.#video.buffered;
    return ranges.length === 0 || ranges.end(ranges.length - 1) - this.#video.currentTime < 0.2;
  }

  async #pause(seconds) {
    await new Promise((resolve) => {
      const timer = setTimeout(done, seconds * 1000);
      const signal = this.#stop.signal;
      function done() {
        clearTimeout(timer);
        removeEventListener("online", done);
        signal.removeEventListener("abort", done);
        resolve();
      }
      addEventListener("online", done);
      signal.addEventListener("abort", done);
    });
  }

  #play() {
    // Browsers start sound only after a click.
    this.#video.play().catch(() => {});
  }

  // Live streams

  async #add(list) {
    this.#target = list.target;
    const end = list.first + list.segments.length;
    // After a restart of the server the numbers begin anew.
    if (this.#next === null || this.#next > end) this.#next = Math.max(list.first, end - DISTANCE);
    this.#next = Math.max(this.#next, list.first);
    for (; this.#next < end && !this.#isStopped; this.#next += 1) {
      const segment = list.segments[this.#next - list.first];
      const bytes = new Uint8Array(await (await this.#load(segment.uri)).arrayBuffer());
      await this.#addSegment(bytes, segment.isDiscontinuous);
    }
    this.#followEdge();
    await this.#forgetPast();
  }

  async #addSegment(bytes, isDiscontinuous) {
    const media = samples(bytes);
    const first = Math.min(media.video.samples[0]?.dts ?? Infinity, media.audio.samples[0]?.dts ?? Infinity);
    if (!Number.isFinite(first)) return;
    const isFirst = this.#buffer === null;
    if (isFirst) await this.#open(mimeType(media));
    const end = this.#bufferedEnd;
    if (isFirst || isDiscontinuous || Math.abs((first - this.#start) / CLOCK - end) > 1) {
      this.#start = first - end * CLOCK;
    }
    const parameters = `${mimeType(media)} ${media.video.sps} ${media.video.pps} ${media.audio.rate} ${media.audio.channels}`;
    if (parameters !== this.#parameters) {
      if (mimeType(media) !== this.#type) this.#buffer.changeType(mimeType(media));
      [this.#type, this.#parameters] = [mimeType(media), parameters];
      await this.#append(initialization(media));
    }
    await this.#append(fragment(this.#next, media, this.#start));
    if (isFirst) {
      this.#video.currentTime = this.#buffer.buffered.length > 0 ? this.#buffer.buffered.start(0) : 0;
      this.#play();
    }
    this.#onState({ name: "playing" });
  }

  async #open(type) {
    if (!globalThis.MediaSource?.isTypeSupported(type)) throw new Unsupported();
    this.#source = new MediaSource();
    this.#video.src = URL.createObjectURL(this.#source);
    await new Promise((resolve) => { this.#source.addEventListener("sourceopen", resolve, { once: true }); });
    URL.revokeObjectURL(this.#video.src);
    this.#buffer = this.#source.addSourceBuffer(type);
    this.#type = type;
  }

  get #bufferedEnd() {
    const ranges = this.#buffer.buffered;
    return ranges.length > 0 ? ranges.end(ranges.length - 1) : 0;
  }

  /** Jumps to the end of the stream if it is far ahead, and over gaps. */
  #followEdge() {
    const [video, ranges] = [this.#video, this.#buffer?.buffered];
    if (!ranges || ranges.length === 0 || video.paused) return;
    if (this.#bufferedEnd - video.currentTime > MOST_BEHIND * this.#target) return this.toLiveEdge();
    for (let index = 0; index < ranges.length; index += 1) {
      const [start, now] = [ranges.start(index), video.currentTime];
      if (start > now && start - now < this.#target && this.#isAtGap(now)) video.currentTime = start;
    }
  }

  #isAtGap(now) {
    const ranges = this.#buffer.buffered;
    for (let index = 0; index < ranges.length; index += 1) {
      if (ranges.start(index) <= now && now < ranges.end(index) - 0.05) return false;
    }
    return true;
  }

  async #forgetPast() {
    const end = this.#video.currentTime - KEPT;
    if (this.#buffer === null || end < KEPT) return;
    await this.#change(() => this.#buffer.remove(0, end));
  }

  async #append(bytes) {
    await this.#change(() => this.#buffer.appendBuffer(bytes));
  }

  async #change(body) {
    const buffer = this.#buffer;
    await new Promise((resolve, reject) => {
      buffer.addEventListener("updateend", resolve, { once: true });
      buffer.addEventListener("error", () => reject(new Unsupported()), { once: true });
      body();
    });
  }

  async #finish() {
    if (this.#source?.readyState === "open") this.#source.endOfStream();
    await this.#end();
  }

  /** Waits until the video element has played everything. */
  async #end() {
    await new Promise((resolve) => {
      this.#video.addEventListener("ended", resolve, { once: true });
      this.#stop.signal.addEventListener("abort", resolve);
      if (this.#video.ended || this.#video.readyState === 0) resolve();
    });
    if (!this.#isStopped) this.#onState({ name: "ended" });
  }

  // Recordings, and browsers that play HLS themselves

  async #playFiles(files) {
    for (const file of files) {
      if (this.#isStopped) return;
      await this.#playAddress(file.href);
    }
    if (!this.#isStopped) this.#onState({ name: "ended" });
  }

  async #playNatively() {
    await this.#playAddress(this.#url);
    if (!this.#isStopped) this.#onState({ name: "ended" });
  }

  async #playAddress(address) {
    const video = this.#video;
    await new Promise((resolve, reject) => {
      const once = { once: true, signal: this.#stop.signal };
      video.addEventListener("ended", resolve, once);
      video.addEventListener("error", () => reject(new Unsupported()), once);
      video.addEventListener("playing", () => this.#onState({ name: "playing" }), once);
      this.#stop.signal.addEventListener("abort", resolve);
      video.src = address;
      this.#play();
    });
  }
}
