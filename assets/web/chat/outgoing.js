// The files of one account on their way to the server.

import { Timers } from "../timers.js";
import { newID } from "./outbox.js";

/** The largest file in bytes. */
export const LARGEST = 20_000_000;
/** The first and the longest pause before an upload is tried again, in milliseconds. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [1000, 30_000];
/** The time without progress after which an upload is ended, in milliseconds. */
const STALL = 60_000;

/**
 * @typedef {object} OutgoingFile
 * @property {string} id
 * @property {{id: number}} peer the person to whom it goes
 * @property {Blob} blob
 * @property {string} name empty for a voice message
 * @property {number} share how much has been sent, from 0 to 1
 * @property {number} failure the HTTP status of a refusal, or `UNREADABLE`; 0 without one
 */

/** The failure of a file that the browser cannot read, such as a folder or one that was deleted. */
const UNREADABLE = 1;

export class Outgoing {
  /** @type {OutgoingFile[]} */
  #files = [];
  #handlers;
  /** @type {{file: OutgoingFile, request: XMLHttpRequest} | null} the upload that is under way */
  #upload = null;
  #timers = new Timers();
  #pause = FIRST_PAUSE;
  #isStopped = false;

  /**
   * @param {object} handlers
   * @param {() => string} handlers.url where files are uploaded to
   * @param {(file: OutgoingFile, media: object) => void} handlers.onStored
   * @param {() => void} handlers.onChange
   */
  constructor(handlers) {
    this.#handlers = handlers;
  }

  get isEmpty() {
    return this.#files.length === 0;
  }

  /** Returns the files for a person. */
  to(peer) {
    return this.#files.filter((file) => file.peer.id === peer.id);
  }

  add(peer, blob, name) {
    this.#files.push({ id: newID(), peer, blob, name, share: 0, failure: 0 });
    this.#next();
    this.#handlers.onChange();
  }

  retry(id) {
    const file = this.#files.find((file) => file.id === id);
    if (file) file.failure = 0;
    this.#next();
    this.#handlers.onChange();
  }

  discard(id) {
    const file = this.#files.find((file) => file.id === id);
    this.#files = this.#files.filter((other) => other !== file);
    if (this.#upload?.file === file) this.#upload.request.abort();
    this.#next();
    this.#handlers.onChange();
  }

  /** Ends all uploads. */
  stop() {
    this.#isStopped = true;
    this.#timers.cancelAll();
    this.#upload?.request.abort();
  }

  #next() {
    const file = this.#files.find(({ failure }) => failure === 0);
    if (!file || this.#upload || this.#isStopped || this.#timers.isRunning("pause")) return;
    const request = new XMLHttpRequest();
    this.#upload = { file, request };
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      file.share = total > 0 ? loaded / total : 0;
      this.#timers.start("stall", STALL, () => request.abort());
      this.#handlers.onChange();
    });
    request.addEventListener("loadend", () => {
      this.#upload = null;
      this.#timers.cancel("stall");
      if (!this.#isStopped) this.#ended(file, request);
    });
    request.open("POST", this.#handlers.url());
    request.responseType = "json";
    request.send(file.blob);
    this.#timers.start("stall", STALL, () => request.abort());
  }

  async #ended(file, { status, response }) {
    if (status === 0 && !(await isReadable(file.blob))) status = UNREADABLE;
    // It may have been discarded.
    if (!this.#files.includes(file) || this.#isStopped) return this.#next();
    if (status === 201 && typeof response?.id === "string") {
      this.#pause = FIRST_PAUSE;
      this.#handlers.onStored(file, response);
      return this.#remove(file);
    }
    file.share = 0;
    // Without an answer, or if the server has too much to do, it is tried again.
    if (status === 0 || status === 429 || status === 502 || status === 503 || status === 504) {
      this.#timers.start("pause", this.#pause, () => this.#next());
      this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE);
    } else {
      file.failure = status;
      this.#next();
    }
    this.#handlers.onChange();
  }

  #remove(file) {
    this.#files = this.#files.filter((other) => other !== file);
    this.#next();
    this.#handlers.onChange();
  }
}

async function isReadable(blob) {
  try {
    await blob.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
