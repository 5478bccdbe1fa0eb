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
/** The milliseconds within which a server must answer, and then have sent everything. */
const [PATIENCE, LONGEST_LOAD] = [10_000, 60_000];
/** The numbers of segments in a row that the server no longer has, and of sources that break, before that is told. */
const [MOST_DISPLACED, MOST_BROKEN] = [5, 3];
/** The seconds that are loaded ahead of a picture that is paused. */
const PAUSED_AHEAD = 30;
const NATIVE_TYPE = "application/vnd.apple.mpegurl";

/** A response with a status other than 200. */
class Refusal extends Error {
  constructor(status) {
    super(`HTTP status ${status}`);
    this.status = status;
  }
}

/** A segment that the server no longer has. */
class Displaced extends Refusal {}

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
  /** The newest parameters of both tracks, for segments without their samples. */
  #known = { video: null, audio: null };
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
    [this.#video, this.#url] = [video, url];
    this.#onState = (state) => {
      if (!this.#isStopped) onState(state);
    };
  }

  /** Plays until the stream has ended or `stop()` is called. */
  async run() {
    this.#onState({ name: "loading" });
    let [displaced, broken] = [0, 0];
    for (let failures = 0; !this.#isStopped;) {
      try {
        const list = parse(new TextDecoder().decode(await this.#load(this.#url)), this.#url);
        if (list.files.length > 0) return await this.#playFiles(list.files);
        if (!globalThis.MediaSource && this.#video.canPlayType(NATIVE_TYPE)) {
          return await this.#playFiles([new URL(this.#url)]);
        }
        const loaded = performance.now();
        await this.#add(list);
        [failures, displaced, broken] = [0, 0, 0];
        if (list.isEnded) return await this.#finish();
        await this.#pause(Math.max(0, list.target - (performance.now() - loaded) / 1000));
      } catch (error) {
        if (this.#isStopped) return;
        if (error instanceof Unsupported) return this.#onState({ name: "unsupported" });
        if (error instanceof Displaced && displaced < MOST_DISPLACED) {
          displaced += 1;
          await this.#pause(this.#target / 2);
          continue;
        }
        if (this.#isBroken) {
          broken += 1;
          if (broken > MOST_BROKEN) return this.#onState({ name: "unsupported" });
          this.#buffer = null;
        }
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
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), PATIENCE);
    const signal = AbortSignal.any([this.#stop.signal, patience.signal, AbortSignal.timeout(LONGEST_LOAD)]);
    try {
      const response = await fetch(url, { signal, cache: "no-store" });
      clearTimeout(timer);
      if (!response.ok) throw new Refusal(response.status);
      return await response.arrayBuffer();
    } finally {
      clearTimeout(timer);
    }
  }

  async #loadSegment(url) {
    try {
      return new Uint8Array(await this.#load(url));
    } catch (error) {
      const isGone = error instanceof Refusal && [404, 410].includes(error.status);
      throw isGone ? new Displaced(error.status) : error;
    }
  }

  async #recover(error, failures) {
    const status = error instanceof Refusal ? error.status : 0;
    const names = { 403: "forbidden", 404: "not-found", 412: "not-live" };
    const seconds = names[status] ? POLL : RETRIES[Math.min(failures, RETRIES.length - 1)];
    // What is buffered plays on.
    if (this.#buffer === null || names[status] || this.#isStarved) {
      this.#onState({ name: names[status] ?? "offline", seconds });
    }
    await this.#pause(seconds);
  }

  /** Whether nothing can be added to the source any more; another segment opens a new one. */
  get #isBroken() {
    return this.#buffer !== null && (this.#video.error !== null || this.#source.readyState === "closed");
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
    for (; this.#next < end && !this.#isStopped && (list.isEnded || !this.#isAhead); this.#next += 1) {
      const segment = list.segments[this.#next - list.first];
      await this.#addSegment(await this.#loadSegment(segment.uri), segment);
    }
    this.#followEdge();
    await this.#forgetPast();
  }

  /** Whether enough is loaded for a picture that is paused. */
  get #isAhead() {
    return this.#buffer !== null && this.#video.paused && this.#bufferedEnd - this.#video.currentTime > PAUSED_AHEAD;
  }

  async #addSegment(bytes, { isDiscontinuous, duration }) {
    const media = samples(bytes);
    const first = Math.min(media.video.samples[0]?.dts ?? Infinity, media.audio.samples[0]?.dts ?? Infinity);
    if (!Number.isFinite(first)) return;
    this.#complete(media);
    const type = mimeType(media);
    if (!globalThis.MediaSource?.isTypeSupported(type)) throw new Unsupported();
    // The tracks of a source cannot change.
    const isFirst = this.#buffer === null || tracksOf(type) !== tracksOf(this.#type);
    const wasPaused = this.#buffer !== null && this.#video.paused;
    if (isFirst) await this.#open(type);
    const end = this.#bufferedEnd;
    if (isFirst || isDiscontinuous || Math.abs((first - this.#start) / CLOCK - end) > 1) {
      this.#start = first - end * CLOCK;
    }
    const parameters = `${type} ${media.video.sps} ${media.video.pps} ${media.audio.rate} ${media.audio.channels}`;
    if (parameters !== this.#parameters) {
      if (type !== this.#type) this.#buffer.changeType(type);
      this.#type = type;
      await this.#append(described(media));
      this.#parameters = parameters;
    }
    await this.#append(fragment(this.#next, media, this.#start, first + duration * CLOCK));
    if (isFirst) {
      this.#video.currentTime = this.#buffer.buffered.length > 0 ? this.#buffer.buffered.start(0) : 0;
      if (!wasPaused) this.#play();
    }
    this.#onState({ name: "playing" });
  }

  /** Adds the known parameters of tracks that a segment lists without having their samples. */
  #complete(media) {
    for (const [name, isKnown] of [["video", media.video.sps], ["audio", media.audio.rate]]) {
      if (isKnown) this.#known[name] = { ...media[name], samples: [] };
      else if (media[name].isListed && this.#known[name]) media[name] = this.#known[name];
    }
  }

  async #open(type) {
    this.#source = new MediaSource();
    const url = URL.createObjectURL(this.#source);
    await new Promise((resolve) => {
      this.#source.addEventListener("sourceopen", resolve, { once: true });
      this.#stop.signal.addEventListener("abort", resolve, { once: true });
      this.#video.src = url;
    });
    URL.revokeObjectURL(url);
    this.#stop.signal.throwIfAborted();
    this.#buffer = this.#source.addSourceBuffer(type);
    [this.#type, this.#parameters] = [type, ""];
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
      if (start > now && start - now <= 2 * this.#target && this.#isAtGap(now)) video.currentTime = start;
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
    try {
      await this.#change(() => this.#buffer.appendBuffer(bytes));
    } catch (error) {
      if (error.name !== "QuotaExceededError") throw error;
      await this.#change(() => this.#buffer.remove(0, Math.max(0.1, this.#video.currentTime - 1)));
      await this.#change(() => this.#buffer.appendBuffer(bytes));
    }
  }

  async #change(body) {
    const buffer = this.#buffer;
    const listening = new AbortController();
    const { signal } = listening;
    try {
      await new Promise((resolve, reject) => {
        buffer.addEventListener("updateend", resolve, { signal });
        buffer.addEventListener("error", () => reject(new Unsupported()), { signal });
        // A removed source ends without an event.
        this.#stop.signal.addEventListener("abort", resolve, { signal });
        body();
      });
    } finally {
      listening.abort();
    }
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

  /** Plays a file to its end; after a loss of the server it goes on where it was. */
  async #playAddress(address) {
    let position = 0;
    for (let failures = 0; !this.#isStopped; failures += 1) {
      try {
        return await this.#playFrom(address, position);
      } catch (error) {
        if (this.#isStopped || !(error instanceof Lost)) throw error;
        await this.#explain(error, address, position);
        if (error.position > position) failures = 0;
        position = error.position;
        const seconds = RETRIES[Math.min(failures, RETRIES.length - 1)];
        this.#onState({ name: "offline", seconds });
        await this.#pause(seconds);
      }
    }
  }

  /** Throws the reason why a file cannot be played on, if that is not a lost server. */
  async #explain(loss, address, position) {
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(PATIENCE)]);
    const answer = await fetch(address, { method: "HEAD", cache: "no-store", signal }).catch(() => null);
    if (answer && !answer.ok && answer.status < 500) throw new Refusal(answer.status);
    const isDamaged = loss.code >= MediaError.MEDIA_ERR_DECODE && loss.position <= position;
    if (answer?.ok && isDamaged) throw new Unsupported();
  }

  async #playFrom(address, position) {
    const video = this.#video;
    const listening = new AbortController();
    const { signal } = listening;
    try {
      await new Promise((resolve, reject) => {
        video.addEventListener("ended", resolve, { signal });
        video.addEventListener("error", () => {
          reject(new Lost(video.currentTime || position, video.error?.code ?? 0));
        }, { signal });
        video.addEventListener("playing", () => this.#onState({ name: "playing" }), { signal });
        this.#stop.signal.addEventListener("abort", resolve, { signal });
        const wasPaused = position > 0 && video.paused;
        video.src = address;
        video.currentTime = position;
        if (!wasPaused) this.#play();
      });
    } finally {
      listening.abort();
    }
  }
}

/** A server that was lost while a file was playing. */
class Lost extends Error {
  /** @param {number} position in seconds @param {number} code that of the MediaError */
  constructor(position, code) {
    super("the server was lost");
    [this.position, this.code] = [position, code];
  }
}

/** The kinds of tracks in a MIME type. */
function tracksOf(type) {
  return `${type.includes("avc1")} ${type.includes("mp4a")}`;
}

/** Returns the segment that describes the tracks; parameters that cannot be read are not supported. */
function described(media) {
  try {
    return initialization(media);
  } catch {
    throw new Unsupported();
  }
}
