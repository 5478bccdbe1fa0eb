// An attempt at a call: a peer connection from its offer to its end.

import { completeAnswer, identify, limitOffer } from "./sdp.js";
import { Meter } from "./statistics.js";

const PREPARATION_MS = 15_000;
const DESCRIPTION_MS = 4_000;
const CONNECTION_MS = 15_000;
const STALL_MS = 5_000;
const MOST_CANDIDATES = 256;
/** The least time between two answers, because each costs the browser time. */
const ANSWER_PACE_MS = 250;

/**
 * `idle` → caller `offering`, `awaiting-answer` (or `ringing`), callee `answering` → `connecting` → `connected`
 * → `ended`
 * @typedef {"idle" | "offering" | "awaiting-answer" | "ringing" | "answering" | "connecting" | "connected" | "ended"}
 *   AttemptState
 */

/**
 * @typedef {object} AttemptHandlers
 * @property {(name: string, payload: object) => void} emit sends a message to the peer
 * @property {(state: AttemptState) => void} onState every state but `idle` and `ended`
 * @property {(id: string) => void} onOffer the ufrag of the offer that is being sent
 * @property {(track: MediaStreamTrack) => void} onTrack
 * @property {(figures: import("./statistics.js").Figures) => void} onFigures each second while connected
 * @property {(reason: string) => void} onEnd once, unless stopped: `unanswered`, `description-timeout`,
 *   `connection-timeout`, `connection-failed`, `stalled`, `bad-description`
 */

/** An attempt that ends when it fails; the call starts the next one. */
export class Attempt {
  /** @type {AttemptState} */
  state = "idle";
  /** The ufrag of the offer that this attempt is about. */
  offerId;
  #pc;
  #meter;
  #stream;
  #handlers;
  #isBlind;
  #deadline;
  #watch;
  #steps = Promise.resolve();
  #offerVersion;
  /** The newest offer, until it is answered. */
  #newestOffer;
  #answer;
  #answeredAt = -Infinity;
  #remoteUfrags;
  #isDescribed = false;
  #isRemoteSet = false;
  #heldLocal = [];
  #heldRemote = [];
  #taken = 0;

  /**
   * @param {{iceServers: RTCIceServer[], stream: MediaStream, isBlind?: boolean}} means
   * @param {AttemptHandlers} handlers
   */
  constructor({ iceServers, stream, isBlind = false }, handlers) {
    this.#stream = stream;
    this.#isBlind = isBlind;
    this.#handlers = handlers;
    this.#pc = new RTCPeerConnection({ iceServers });
    this.#meter = new Meter(this.#pc);
    this.#pc.onicecandidate = ({ candidate }) => this.#takeLocal(candidate);
    this.#pc.ontrack = ({ track }) => handlers.onTrack(track);
    this.#pc.onconnectionstatechange = () => this.#connectionChanged();
  }

  /** Creates and sends the offer of a caller. */
  offer() {
    this.#enter("offering");
    this.#expect(PREPARATION_MS, "description-timeout");
    return this.#then(async () => {
      for (const kind of ["video", "audio"]) {
        const [track] = this.#stream.getTracks().filter((track) => track.kind === kind);
        if (track) this.#pc.addTrack(track, this.#stream);
        else this.#pc.addTransceiver(kind, { direction: "recvonly" });
      }
      await this.#pc.setLocalDescription();
      const { sdp } = this.#pc.localDescription;
      this.offerId = identify(sdp).id;
      this.#handlers.onOffer(this.offerId);
      this.#handlers.emit("offer", { type: "offer", sdp });
      this.#released();
      this.#enter("awaiting-answer");
      this.#expect(this.#isBlind ? Infinity : DESCRIPTION_MS, "unanswered");
    });
  }

  /**
   * Answers an offer as callee: repeats the answer to a duplicate, and creates a new one for a higher version.
   * @param {string} sdp
   */
  takeOffer(sdp) {
    const { id, version, ufrags } = identify(sdp);
    if (this.offerId !== undefined && id !== this.offerId) return;
    if (version < this.#offerVersion) return;
    if (version === this.#offerVersion) return this.#repeatAnswer();
    this.offerId = id;
    this.#offerVersion = version;
    this.#remoteUfrags = ufrags;
    if (this.state === "idle") {
      this.#enter("answering");
      this.#expect(DESCRIPTION_MS, "description-timeout");
    }
    const isNext = this.#newestOffer === undefined;
    this.#newestOffer = sdp;
    if (isNext) return this.#then(() => this.#answerNewest());
  }

  /**
   * Applies the answer as caller, unless it belongs to another offer.
   * @param {{sdp?: unknown, offer?: unknown}} message
   */
  takeAnswer({ sdp, offer }) {
    if (!this.awaitsAnswer({ offer })) return;
    const identity = identify(sdp);
    if (!identity) return this.#end("bad-description");
    this.#remoteUfrags = identity.ufrags;
    this.#enter("connecting");
    this.#expect(DESCRIPTION_MS, "description-timeout");
    return this.#then(async () => {
      await this.#pc.setRemoteDescription({ type: "answer", sdp });
      if (this.state === "connecting") this.#expect(CONNECTION_MS, "connection-timeout");
      await this.#addHeld();
    });
  }

  /** Whether a caller awaits an answer, and this may be it. */
  awaitsAnswer({ offer }) {
    return (this.state === "awaiting-answer" || this.state === "ringing") && this.#isMine(offer);
  }

  /** Suspends the time limit of a caller while the call rings at the callee. */
  takeRinging({ offer } = {}) {
    if (this.state !== "awaiting-answer" || !this.#isMine(offer)) return;
    this.#enter("ringing");
    clearTimeout(this.#deadline);
  }

  /**
   * Adds a candidate, at once or after the remote description is set.
   * @param {RTCIceCandidateInit} candidate
   * @returns {boolean} false if it belongs to another attempt
   */
  takeCandidate(candidate) {
    // Before our offer is sent, a candidate can only belong to an older one.
    if (this.state === "idle" || this.state === "offering") return false;
    if (!this.#isOfThisAttempt(candidate)) return false;
    if ((this.#taken += 1) > MOST_CANDIDATES) return true;
    this.#heldRemote.push(candidate);
    if (this.#isRemoteSet) this.#then(() => this.#addHeld());
    return true;
  }

  /** Ends the attempt without `onEnd`. */
  stop() {
    this.state = "ended";
    clearTimeout(this.#deadline);
    clearInterval(this.#watch);
    this.#pc.close();
  }

  #repeatAnswer() {
    const now = performance.now();
    const isNext = this.#newestOffer !== undefined;
    if (isNext || !this.#answer || now < this.#answeredAt + ANSWER_PACE_MS) return;
    this.#answeredAt = now;
    this.#handlers.emit("answer", this.#answer);
  }

  /** Answers the newest offer; those before it that still wait are never looked at. */
  async #answerNewest() {
    const wait = this.#answeredAt + ANSWER_PACE_MS - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    if (this.state === "ended") return;
    const { sdp, refused } = limitOffer(this.#newestOffer);
    this.#newestOffer = undefined;
    await this.#answerTo(sdp, refused);
  }

  async #answerTo(sdp, refused) {
    await this.#pc.setRemoteDescription({ type: "offer", sdp });
    this.#isRemoteSet = true;
    for (const transceiver of this.#pc.getTransceivers()) {
      const track = this.#stream.getTracks().find(({ kind }) => kind === transceiver.receiver.track.kind);
      const isSent = this.#pc.getSenders().some((sender) => sender.track === track);
      // addTrack reuses the transceiver that the offer has created.
      if (track && !isSent) this.#pc.addTrack(track, this.#stream);
    }
    await this.#pc.setLocalDescription();
    const answer = completeAnswer(this.#pc.localDescription.sdp, refused);
    this.#answer = { type: "answer", sdp: answer, offer: this.offerId };
    this.#answeredAt = performance.now();
    this.#handlers.emit("answer", this.#answer);
    this.#released();
    if (this.state === "answering") {
      this.#enter("connecting");
      this.#expect(CONNECTION_MS, "connection-timeout");
      // The connection may already be established.
      this.#connectionChanged();
    }
    await this.#addHeld();
  }

  /** Runs steps in succession, so that no candidate overtakes its description. */
  #then(step) {
    this.#steps = this.#steps.then(async () => {
      if (this.state === "ended") return;
      try {
        await step();
      } catch (error) {
        if (this.state === "ended") return;
        console.warn("The peer's description was refused:", error);
        this.#end("bad-description");
      }
    });
    return this.#steps;
  }

  #isMine(offer) {
    return typeof offer !== "string" || offer === this.offerId;
  }

  /** Whether the remote description has the ufrag of the candidate; without that description, any ufrag is possible. */
  #isOfThisAttempt({ usernameFragment: ufrag }) {
    return !ufrag || !this.#remoteUfrags || this.#remoteUfrags.has(ufrag);
  }

  #takeLocal(candidate) {
    // The protocol has no end of candidates, and foreign clients log errors for empty candidates.
    if (!candidate?.candidate) return;
    if (this.#isDescribed) this.#handlers.emit("candidate", candidate.toJSON());
    else this.#heldLocal.push(candidate.toJSON());
  }

  #released() {
    this.#isDescribed = true;
    for (const candidate of this.#heldLocal.splice(0)) this.#handlers.emit("candidate", candidate);
  }

  async #addHeld() {
    this.#isRemoteSet = true;
    for (const candidate of this.#heldRemote.splice(0)) {
      if (!this.#isOfThisAttempt(candidate)) continue;
      // Invalid candidates are ignored.
      await this.#pc.addIceCandidate(candidate).catch(() => {});
    }
  }

  #connectionChanged() {
    const { connectionState } = this.#pc;
    if (connectionState === "failed") return this.#end("connection-failed");
    if (connectionState !== "connected" || this.state !== "connecting") return;
    clearTimeout(this.#deadline);
    this.#enter("connected");
    this.#watchPackets();
  }

  /** Reads statistics each second, and ends the attempt after five seconds without any packet. */
  #watchPackets() {
    let received = -1;
    let silentMs = 0;
    let before = performance.now();
    this.#watch = setInterval(async () => {
      const figures = await this.#meter.read().catch(() => null);
      if (!figures || this.state !== "connected") return;
      const now = performance.now();
      // The time for which this machine was suspended does not count.
      silentMs = figures.received === received ? silentMs + Math.min(now - before, 2000) : 0;
      before = now;
      received = figures.received;
      this.#handlers.onFigures(figures);
      if (silentMs >= STALL_MS && this.#expectsMedia) this.#end("stalled");
    }, 1000);
  }

  get #expectsMedia() {
    return this.#pc.getTransceivers().some(({ currentDirection }) => /^(sendrecv|recvonly|sendonly)$/.test(currentDirection));
  }

  #enter(state) {
    this.state = state;
    this.#handlers.onState(state);
  }

  #expect(milliseconds, otherwise) {
    clearTimeout(this.#deadline);
    if (milliseconds !== Infinity) this.#deadline = setTimeout(() => this.#end(otherwise), milliseconds);
  }

  #end(reason) {
    if (this.state === "ended") return;
    this.stop();
    this.#handlers.onEnd(reason);
  }
}
