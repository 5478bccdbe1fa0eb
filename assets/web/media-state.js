// What both sides of a call tell each other of their media. Knows nothing of connections or of the page.

const SENDING_MS = 250;
const SHOWING_MS = 500;

/**
 * What one side does: whether it sends sound and pictures, records the other, holds the call.
 * @typedef {{audio: boolean, video: boolean, recording: boolean, holding: boolean}} MediaState
 */

/** The states of a call, at a bounded pace however often they change. */
export class MediaStates {
  #emit;
  #show;
  #own;
  #offerId = null;
  #sent = null;
  #asks = false;
  #heard = null;
  #shown = null;
  #waits = {};

  /**
   * @param {(payload: object) => void} emit sends `media_state` to the peer
   * @param {(state: MediaState | null) => void} show null where the peer has told nothing
   */
  constructor(emit, show) {
    this.#emit = emit;
    this.#show = show;
  }

  /** @param {MediaState} state ours, from now on */
  set own(state) {
    this.#own = state;
    this.#send();
  }

  /** An attempt begins, of which the peer has told nothing yet. */
  reset() {
    this.#offerId = this.#sent = this.#heard = null;
    this.#display();
  }

  /** Media flows in the attempt of this offer. */
  begin(offerId) {
    this.#offerId = offerId;
    this.#send();
  }

  /** Our socket has come back: what either side has said meanwhile may be lost. */
  resume() {
    this.#asks = this.#sent !== null;
    this.#sent = null;
    this.#send();
  }

  /** @param {object} payload what the peer says; where it is no state, nothing */
  take({ audio, video, recording = false, holding = false, ask }) {
    if ([audio, video, recording, holding].some((value) => typeof value !== "boolean")) return;
    this.#heard = { audio, video, recording, holding };
    this.#display();
    if (ask !== true) return;
    this.#sent = null;
    this.#send();
  }

  stop() {
    for (const timer of Object.values(this.#waits)) clearTimeout(timer);
    this.#waits = {};
    this.#offerId = null;
  }

  #send() {
    const state = JSON.stringify(this.#own);
    if (!this.#own || this.#offerId === null || state === this.#sent) return;
    this.#pace("sending", SENDING_MS, () => this.#send(), () => {
      this.#emit({ ...this.#own, offer: this.#offerId, ...(this.#asks && { ask: true }) });
      this.#sent = state;
      this.#asks = false;
    });
  }

  #display() {
    if (JSON.stringify(this.#heard) === this.#shown) return;
    this.#pace("showing", SHOWING_MS, () => this.#display(), () => {
      this.#shown = JSON.stringify(this.#heard);
      this.#show(this.#heard);
    });
  }

  /** Acts now, or leaves it to `again` once the time since the last act is over. */
  #pace(name, milliseconds, again, act) {
    if (this.#waits[name] !== undefined) return;
    this.#waits[name] = setTimeout(() => {
      delete this.#waits[name];
      again();
    }, milliseconds);
    act();
  }
}

/** @returns {MediaState} what of this stream is sent */
export function stateOf(stream) {
  const isSent = (kind) =>
    stream.getTracks().some((track) => track.kind === kind && track.enabled && track.readyState === "live");
  return { audio: isSent("audio"), video: isSent("video"), recording: false, holding: false };
}
