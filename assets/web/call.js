// A call and its attempts: when they begin, when they are repeated, and when the call ends.

import { Attempt } from "./attempt.js";
import { MediaStates, stateOf } from "./media-state.js";
import { identify, readCandidate } from "./sdp.js";
import { Timers } from "./timers.js";

const RING_MS = 45_000;
const BACKOFF_MS = [500, 1000, 2000, 4000];
const MOST_FAILURES = 4;
const SIGNALING_PATIENCE_MS = 60_000;
const SERVER_TIMEOUT_MS = 10_000;
const MOST_EARLY_CANDIDATES = 256;
const MOST_OFFERS = 64;
/** The least time between two offers that are answered, because each costs the browser a peer connection. */
const OFFER_PACE_MS = 250;

/**
 * The progress shown to the user: `state` is `joining`, `waiting`, `reconnecting`, `calling`, `rival` (two participants
 * with one role and no peer), a state of an attempt, or `retrying` with its `reason`.
 * @typedef {{state: string, reason?: string}} Progress
 */

/**
 * @typedef {object} CallHandlers
 * @property {(progress: Progress) => void} onProgress
 * @property {(track: MediaStreamTrack) => void} onTrack
 * @property {(figures: import("./statistics.js").Figures | null) => void} onFigures null when an attempt is over
 * @property {(state: import("./media-state.js").MediaState | null) => void} onPeerMedia null if the peer sends none
 * @property {(end: {reason: string, name?: string, detail?: string}) => void} onEnd once; the reasons are
 *   `hung-up`, `peer-hung-up`, `declined`, `peer-left`, `unanswered`, those of an attempt, `unreachable`, `lost`, and
 *   `refused` with the server's message as `detail`
 */

/** A session in a room with at most one call; `handle` must get all events of the room. */
export class Call {
  #room;
  #stream;
  #handlers;
  #attempt;
  /** `waiting`, `attempting`, `backing-off`, `awaiting-peer`, `awaiting-offer`, `over` */
  #phase = "waiting";
  #peerName;
  /** The sender of the peer's messages after its first valid description; empty if they name none. */
  #voice;
  /** The sender of the answer to the offer of this attempt. */
  #speaker;
  #isBlind = false;
  #isAnswered = false;
  #wasHeld = false;
  #failures = 0;
  #hasJoined = false;
  /** The ufrags of all sent and received offers, the latest last. */
  #offers = [];
  #early = [];
  /** The newest offer that came too soon after another one, with its sender. */
  #nextOffer = null;
  #timers = new Timers();
  #media;

  /**
   * @param {MediaStream} stream the media to send; it may have no tracks
   * @param {CallHandlers} handlers
   */
  constructor(stream, handlers) {
    this.#stream = stream;
    this.#handlers = handlers;
    this.#media = new MediaStates((payload) => this.#room.emit("media_state", payload), handlers.onPeerMedia);
    this.mediaChanged();
  }

  /** Updates the media state after tracks of the stream were switched on or off, or have ended. */
  mediaChanged() {
    this.#media.own = stateOf(this.#stream);
  }

  /** @param {import("./signaling.js").Room} room the room whose events `handle` gets */
  begin(room) {
    this.#room = room;
    this.#timers.start("signaling", SERVER_TIMEOUT_MS, () => this.#end("unreachable"));
    this.#tell("joining");
  }

  /** The name of the peer, once it is known. */
  get peerName() {
    return this.#peerName ?? this.#room.peer?.name;
  }

  /** Whether there was an offer, rather than only a wait for the peer. */
  get hasBegun() {
    return this.#phase !== "waiting";
  }

  /** Ends the call without a message to the peer and without `onEnd`. */
  stop() {
    this.#phase = "over";
    this.#timers.cancelAll();
    this.#media.stop();
    this.#attempt?.stop();
  }

  hangUp() {
    this.#tellHangUp();
    this.#end("hung-up");
  }

  /** @param {import("./signaling.js").RoomEvent} event */
  handle(event) {
    if (this.#phase === "over") return;
    switch (event.type) {
      case "connected":
        this.#hasJoined = true;
        this.#timers.cancel("signaling");
        this.#media.resume();
        return this.#tellWhereWeStand();
      case "disconnected":
      case "unreachable":
        return this.#outOfReach();
      case "refused":
        return this.#end("refused", { detail: event.message });
      case "told":
      case "silent":
        return this.#proceed(event.type === "silent");
      case "appeared":
      case "again":
        return this.#peerCame(event.participant);
      case "left":
        if (this.#isPeer(event.participant) && this.#phase !== "waiting") return this.#end("peer-left");
        return this.#tellWhereWeStand();
      case "missing":
        if (this.#isPeer(event.participant)) this.#peerIsOutOfReach();
        return this.#tellWhereWeStand();
      case "message":
        return this.#take(event.name, event.payload ?? {}, event.sender);
    }
  }

  // The room

  #outOfReach() {
    if (this.#hasJoined) this.#peerIsOutOfReach();
    if (this.#phase === "over") return;
    if (this.#hasJoined && !this.#timers.isRunning("signaling")) {
      this.#timers.start("signaling", SIGNALING_PATIENCE_MS, () => this.#isMediaFlowing || this.#end("lost"));
    }
    this.#tellWhereWeStand();
  }

  /** Ends the call if media has stopped and now the socket or the peer is gone too. */
  #peerIsOutOfReach() {
    const isDown = ["backing-off", "awaiting-peer", "awaiting-offer"].includes(this.#phase);
    if (isDown && this.#wasHeld) this.#end("peer-left");
  }

  #proceed(isSilent) {
    const isUnheard = this.#phase === "attempting" && this.#isBlind && !this.#isAnswered;
    if (isSilent && isUnheard) this.#begin();
    else if (this.#phase === "awaiting-peer" && !this.#isPeerAbsent) this.#begin();
    else this.#dialIfPossible();
  }

  #dialIfPossible() {
    if (this.#phase === "waiting" && this.#room.role === "caller" && this.#room.isConnected) {
      this.#isBlind = !this.#room.peer && this.#room.isSilent;
      if (this.#room.peer || this.#isBlind) return this.#begin();
    }
    this.#tellWhereWeStand();
  }

  #isPeer({ name, role }) {
    if (role === this.#room.role) return false;
    return this.#peerName === undefined ? !this.#isBlind : name === this.#peerName;
  }

  /** Whether the peer of the call is known to be absent, regardless of other participants. */
  get #isPeerAbsent() {
    const isKnown = this.#voice && this.#voice === this.#peerName;
    return isKnown ? this.#room.isTold && !this.#room.opposite(this.#peerName) : this.#room.isPeerAbsent;
  }

  /** Identifies the peer for the rest of the call by the sender of its description. */
  #recognize(sender = "") {
    this.#voice ??= sender;
    if (this.#voice && (this.#room.opposite(this.#voice) || !this.#room.isTold)) this.#peerName = this.#voice;
  }

  /** Whether a message is from another participant than the peer. */
  #isOther(sender) {
    if (sender && sender === this.#peerName) return false;
    const voice = this.#voice ?? this.#speaker;
    if (voice !== undefined) return (sender ?? "") !== voice;
    // Some clients send under a name that differs from the one announced by the server.
    return Boolean(sender && this.#peerName !== undefined && this.#room.opposite(sender));
  }

  /** Sends a new offer to a peer that has joined or rejoined, because it has not received earlier ones. */
  #peerCame(participant) {
    const mayBeIt = this.#peerName === undefined || this.#peerName === participant.name;
    if (this.#room.role === "callee" || participant.role === "caller" || !mayBeIt) return this.#tellWhereWeStand();
    switch (this.#phase) {
      case "waiting":
        return this.#dialIfPossible();
      case "attempting": {
        const state = this.#attempt.state;
        const isUnheard = ["awaiting-answer", "ringing"].includes(state) || (state === "connecting" && this.#room.isTold);
        if (!isUnheard && !(this.#isBlind && !this.#isAnswered)) return;
        this.#isBlind = false;
        return this.#begin();
      }
      case "backing-off":
      case "awaiting-peer":
        return this.#begin();
    }
  }

  // Attempts

  get #isMediaFlowing() {
    return this.#phase === "attempting" && this.#attempt.state === "connected";
  }

  #begin(offer) {
    this.#attempt?.stop();
    this.#media.reset();
    this.#room.discardBuffer();
    this.#timers.cancel("retry");
    this.#phase = "attempting";
    this.#speaker = undefined;
    const isKept = this.#peerName === this.#voice || this.#room.opposite(this.#peerName);
    if (!this.#peerName || !isKept) this.#peerName = this.#room.peer?.name ?? this.#peerName;
    const attempt = this.#makeAttempt({
      iceServers: this.#room.iceServers, stream: this.#stream, isBlind: this.#isBlind,
    }, {
      emit: (name, payload) => this.#emit(name, payload),
      onState: (state) => this.#attemptEntered(state),
      onOffer: (id) => this.#note(id),
      onTrack: (track) => this.#handlers.onTrack(track),
      onFigures: (figures) => this.#handlers.onFigures(figures),
      onEnd: (reason) => this.#attemptEnded(reason),
    });
    if (!attempt) return this.#end("connection-failed");
    this.#attempt = attempt;
    if (offer) {
      attempt.takeOffer(offer);
      for (const candidate of this.#early.splice(0)) attempt.takeCandidate(candidate);
    } else {
      if (!this.#isAnswered && !this.#isBlind) this.#ring();
      attempt.offer();
    }
  }

  /** Makes an attempt; null if the browser refuses another peer connection. */
  #makeAttempt(means, handlers) {
    try {
      return new Attempt(means, handlers);
    } catch (error) {
      console.warn("The browser makes no peer connection:", error);
      return null;
    }
  }

  /** Sends a message; an offer is addressed to the peer once its name is known. */
  #emit(name, payload) {
    const isAddressed = name === "offer" && this.#voice === this.#peerName && this.#room.opposite(this.#voice);
    this.#room.emit(name, isAddressed ? { ...payload, to: this.#voice } : payload);
  }

  #ring() {
    if (!this.#timers.isRunning("ring")) this.#timers.start("ring", RING_MS, () => this.#isAnswered || this.#end("unanswered"));
  }

  #attemptEntered(state) {
    if (state === "ringing") this.#ring();
    if (state === "connecting") {
      this.#isAnswered = true;
      this.#isBlind = false;
      this.#timers.cancel("ring");
    }
    if (state === "connected") {
      this.#failures = 0;
      this.#wasHeld = true;
      if (this.#room.role === "caller") this.#recognize(this.#speaker);
      this.#media.begin(this.#attempt.offerId);
    }
    this.#tellWhereWeStand(state);
  }

  #attemptEnded(reason) {
    this.#handlers.onFigures(null);
    this.#room.discardBuffer();
    this.#phase = this.#room.role === "caller" ? "backing-off" : "awaiting-offer";
    if (reason === "bad-description") return this.#end(reason);
    if (this.#wasHeld && (!this.#room.isConnected || this.#isPeerAbsent)) return this.#end("peer-left");
    if (this.#phase === "backing-off") this.#backOff(reason);
    this.#tell("retrying", reason);
  }

  #backOff(reason) {
    const isStillRinging = reason === "unanswered" && !this.#isAnswered;
    if (!isStillRinging && this.#failures >= MOST_FAILURES) {
      return this.#end(reason === "unanswered" && this.#wasHeld ? "peer-left" : reason);
    }
    const delay = BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length - 1)];
    if (!isStillRinging) this.#failures += 1;
    this.#timers.start("retry", delay, () => {
      this.#phase = "awaiting-peer";
      if (this.#wasHeld && this.#isPeerAbsent) return this.#end("peer-left");
      if (this.#room.isConnected) this.#proceed(false);
    });
  }

  // Messages

  #take(name, payload, sender) {
    // A candidate has the ufrag of its description and needs no sender.
    if (name === "candidate") return this.#takeCandidate(payload);
    if (this.#isOther(sender)) {
      // The peer has left unnoticed, and another participant calls.
      if (name === "offer" && this.#phase === "awaiting-offer" && this.#isPeerAbsent) this.#end("peer-left");
      return;
    }
    switch (name) {
      case "offer":
        return this.#takeOffer(payload.sdp, sender);
      case "answer":
        if (this.#attempt?.awaitsAnswer(payload)) this.#speaker ??= sender ?? "";
        return this.#attempt?.takeAnswer(payload);
      case "ringing":
        return this.#attempt?.takeRinging(payload);
      case "hangup":
        return this.#takeHangUp(payload);
      case "media_state":
        return this.#takeMediaState(payload);
    }
  }

  #takeOffer(sdp, sender) {
    if (this.#room.role === "caller") return this.#tellWhereWeStand("rival");
    const identity = identify(sdp);
    if (!identity) return;
    if (this.#phase === "attempting" && identity.id === this.#attempt.offerId) return this.#attempt.takeOffer(sdp);
    if (this.#offers.includes(identity.id)) return;
    if (this.#timers.isRunning("offer")) {
      this.#nextOffer = { sdp, sender };
      return;
    }
    this.#timers.start("offer", OFFER_PACE_MS, () => this.#takeNextOffer());
    this.#note(identity.id);
    this.#recognize(sender);
    this.#early = this.#early.filter(({ usernameFragment: ufrag }) => !ufrag || identity.ufrags.has(ufrag));
    this.#begin(sdp);
  }

  #takeNextOffer() {
    const { sdp, sender } = this.#nextOffer ?? {};
    this.#nextOffer = null;
    if (sdp) this.#take("offer", { sdp }, sender);
  }

  /** Adds a candidate, or stores it for an offer that it has overtaken, if it can be matched to that offer. */
  #takeCandidate(message) {
    const candidate = readCandidate(message);
    if (!candidate) return;
    if (this.#phase === "attempting" && this.#attempt.takeCandidate(candidate)) return;
    const mayBeEarly = this.#room.role === "callee" && this.#early.length < MOST_EARLY_CANDIDATES;
    if (mayBeEarly && (candidate.usernameFragment || this.#offers.length === 0)) this.#early.push(candidate);
  }

  /** Ignores a media state that names an earlier offer. */
  #takeMediaState(payload) {
    if (this.#phase !== "attempting") return;
    if (typeof payload.offer !== "string" || payload.offer === this.#attempt.offerId) this.#media.take(payload);
  }

  /** Replies to a hangup once, and only if it means the current call. */
  #takeHangUp({ offer, reason }) {
    if (this.#offers.length === 0) return;
    if (typeof offer === "string" && !this.#offers.includes(offer)) return;
    this.#tellHangUp(typeof offer === "string" ? offer : undefined);
    this.#end(reason === "declined" && !this.#wasHeld ? "declined" : "peer-hung-up");
  }

  #tellHangUp(offer = this.#offers.at(-1)) {
    if (offer && this.#room?.isConnected) this.#room.emit("hangup", { offer });
  }

  #note(id) {
    this.#offers = [...this.#offers.filter((other) => other !== id), id].slice(-MOST_OFFERS);
  }

  // Progress and end

  #tellWhereWeStand(state) {
    if (this.#phase === "over") return;
    if (this.#isMediaFlowing) return this.#tell("connected");
    if (!this.#room.isConnected) return this.#tell(this.#hasJoined ? "reconnecting" : "joining");
    if (state) return this.#tell(state);
    if (this.#phase === "attempting") return this.#tell(this.#attempt.state);
    if (this.#phase === "waiting") this.#tell(this.#room.rival && !this.#room.peer ? "rival" : "waiting");
  }

  #tell(state, reason) {
    if (this.#phase !== "over") this.#handlers.onProgress({ state, reason });
  }

  #end(reason, details = {}) {
    if (this.#phase === "over") return;
    const name = this.peerName;
    this.stop();
    this.#handlers.onEnd({ reason, name, ...details });
  }
}
