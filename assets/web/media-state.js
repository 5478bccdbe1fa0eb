// The media states that both sides of a call exchange. Depends neither on connections nor on the page.

const SENDING_MS = 250;
const SHOWING_MS = 500;

/**
 * The media state of one side: whether it sends audio and video, records the other, and holds the call.
 * @typedef {{audio: boolean, video: boolean, recording: boolean, holding: boolean}} MediaState
 */

/** Sends and shows the media states of a call, at a limited rate. */
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
   * @param {(state: MediaState | null) => void} show null if the peer has sent none
   */
  constructor(emit, show) {
    this.#emit = emit;
    this.#show = show;
  }

  /** @param {MediaState} state our state from now on */
  set own(state) {
    this.#own = state;
    this.#send();
  }

  /** Clears the states at the beginning of an attempt. */
  reset() {
    this.#offerId = this.#sent = this.#heard = null;
    this.#display();
  }

  /** Begins to send states once the attempt of this offer is connected. */
  begin(offerId) {
    this.#offerId = offerId;
    this.#send();
  }

  /** Exchanges the states again after a reconnection, because messages may have been lost. */
  resume() {
    this.#asks = this.#sent !== null;
    this.#sent = null;
    this.#send();
  }

  /** @param {object} payload the peer's `media_state`; ignored if it is invalid */
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

  /** Acts now, or calls `again` once the interval since the last act has passed. */
  #pace(name, milliseconds, again, act) {
    if (this.#waits[name] !== undefined) return;
    this.#waits[name] = setTimeout(() => {
      delete this.#waits[name];
      again();
    }, milliseconds);
    act();
  }
}

/** @returns {MediaState} the media state of a side that sends this stream */
export function stateOf(stream) {
  const isSent = (kind) =>
    stream.getTracks().some((track) => track.kind === kind && track.enabled && track.readyState === "live");
  return { audio: isSent("audio"), video: isSent("video"), recording: false, holding: false };
}
