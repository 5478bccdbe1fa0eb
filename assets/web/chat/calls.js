// The calls from conversations: the ring of another person, and the visit to a room for one call.

import { has, text } from "../strings.js";
import { Timers } from "../timers.js";
import { RingDialog, ringTitle } from "./ring.js";

/** The time for which a call rings, and within which the other person must come, in milliseconds. */
export const RING_LIMIT = 45_000;
/** The time within which hardly anybody can answer a call, in milliseconds. */
const SHORT_RING = 3_000;
/** The time for which somebody who was declined does not ring again, in milliseconds. */
const DECLINED_LIMIT = 30_000;
/** The first room of calls; in those before, strangers may wait. */
const FIRST_ROOM = 2 ** 52;

/**
 * A room that is joined for one call with a person.
 * @typedef {object} Visit
 * @property {string} room
 * @property {"caller" | "callee"} role
 * @property {string} name
 * @property {{id: number, name: string}} peer
 * @property {number} [opposite] the room of the call that the other person, with the higher ID, has made meanwhile
 * @property {boolean} [isKnown] whether the other person knows that it is over
 * @property {boolean} [isForeign] whether the account that it began with has been left
 */

/**
 * @typedef {object} Phone the part of the page that makes calls
 * @property {() => boolean} isBusy whether there is a call
 * @property {() => boolean} isAlone whether the other person has not come yet
 * @property {(visit: Visit) => void} visit takes the place of another visit
 * @property {(room: string, why: string) => void} endVisit ends a visit in which media has not flowed
 * @property {(title: string) => void} showRing shows the title of a ring; an empty one if none rings
 * @property {(sentence: string) => void} tell
 */

/**
 * @typedef {object} CallsOfChat the part of the chat on which the calls depend
 * @property {(frame: object) => boolean} send false if the inbox has no connection
 * @property {() => number} own
 * @property {() => string} name
 * @property {(id: number) => Promise<{id: number, name: string}>} find within a limited time
 * @property {(id: number) => boolean} isSilent whether the calls of a person do not ring
 * @property {(id: number) => void} mute
 */

export class ChatCalls {
  #phone;
  #chat;
  #dialog;
  #timers = new Timers();
  /** The end of the frames that came so far, which are handled one after another. */
  #handled = Promise.resolve();
  /** @type {{room: number, peer: {id: number, name: string}} | null} */
  #ring = null;
  /** @type {Visit | null} */
  #visit = null;
  /** The latest hangup that could not be sent. */
  #unsent = null;

  /**
   * @param {Phone} phone
   * @param {CallsOfChat} chat
   */
  constructor(phone, chat) {
    this.#phone = phone;
    this.#chat = chat;
    this.#dialog = new RingDialog({
      onAnswer: () => this.#answer(),
      onDecline: () => this.#decline(),
      onMute: () => this.#decline((peer) => chat.mute(peer.id)),
    });
  }

  /** Calls a person. */
  call(peer) {
    if (this.#isBusy || this.#ring) return;
    const room = newRoom();
    if (!this.#chat.send({ type: "call", room, withId: peer.id })) {
      return this.#phone.tell(text("chat.call.unconnected", { name: peer.name }));
    }
    this.#timers.cancel(`declined ${peer.id}`);
    this.#begin(room, peer, "caller");
  }

  /**
   * Tells the other person that a visit is over, unless there was a call or the other person knows.
   * @param {Visit} visit
   * @param {boolean} wasCall
   */
  ended(visit, wasCall) {
    if (visit !== this.#visit) return;
    this.#visit = null;
    if (!wasCall && !visit.isKnown) this.#hangUp(Number(visit.room), visit.peer.id);
  }

  /** Sends the hangup that could not be sent, as the inbox has a connection again. */
  connected() {
    if (this.#unsent && this.#chat.send(this.#unsent)) this.#forgetUnsent();
  }

  /** Ends what belongs to the account, before another one is used; a call with media goes on. */
  reset() {
    this.#stopRinging();
    if (this.#visit) {
      this.#visit.isForeign = true;
      this.#end((name) => text("chat.call.cancelled", { name }), false);
    }
    this.#visit = this.#unsent = null;
    this.#timers.cancelAll();
  }

  /** Handles a frame of the inbox after those before it. */
  handle(frame) {
    const own = this.#chat.own();
    const act = () => (own === this.#chat.own() ? this.#handle(frame) : undefined);
    this.#handled = this.#handled.then(act).catch(reportError);
  }

  /**
   * @param {{type: string, room?: number, fromId?: number, withId?: number, code?: string, message?: string,
   *   ref?: string}} frame
   */
  async #handle({ type, room, fromId, withId, code, message, ref }) {
    if (type === "call" && isRoom(room)) await this.#called(room, fromId);
    if (type === "hangup" && fromId === this.#chat.own()) this.#hungUpElsewhere(room, withId);
    else if (type === "hangup") this.#hungUp(room, fromId);
    if (type === "error") await this.#refused(ref, String(code), message);
  }

  /** Ends the own call that the server has refused; servers that do not name its room refuse it as `offline`. */
  async #refused(ref, code, reason) {
    if (this.#visit?.role !== "caller") return;
    if (ref === undefined ? code !== "offline" : ref !== this.#visit.room) return;
    const { peer, opposite } = this.#visit;
    // Without a room it may have been an earlier call, and this one rings.
    this.#end((name) => refusal(code, name, reason), ref !== undefined);
    if (opposite !== undefined) await this.#called(opposite, peer.id);
  }

  get #isBusy() {
    return this.#visit !== null || this.#phone.isBusy();
  }

  #begin(room, peer, role) {
    this.#visit = { room: String(room), role, name: [...this.#chat.name()].slice(0, 64).join(""), peer };
    this.#phone.visit(this.#visit);
  }

  async #called(room, from) {
    // The user has called this person, so muting matters no more.
    if (this.#meets(room, from)) return;
    if (this.#chat.isSilent(from) || this.#timers.isRunning(`declined ${from}`)) return;
    // Another ring of the same person takes no more time.
    if (this.#ring?.peer.id === from) this.#ring.room = room;
    else if (!this.#timers.isRunning(`refused ${from}`)) {
      const own = this.#chat.own();
      const peer = await this.#chat.find(from);
      // Another account may be used by now.
      if (own === this.#chat.own()) this.#rang(room, peer);
    }
  }

  /** Handles the call of the person whom the user calls, both of whom join the room of the lower ID; false for others. */
  #meets(room, from) {
    const { role, peer } = this.#visit ?? {};
    if (role !== "caller" || peer.id !== from) return false;
    const isFirst = this.#chat.own() < from;
    if (!isFirst && !this.#phone.isAlone()) return false;
    // It rings on no other device of the user any more.
    this.#chat.send({ type: "answer", room, withId: from });
    if (isFirst) this.#visit.opposite = room;
    else this.#begin(room, peer, "callee");
    return true;
  }

  #rang(room, peer) {
    if (this.#isBusy || this.#ring) return this.#refuse(room, peer);
    this.#ring = { room, peer };
    this.#timers.start("ring", RING_LIMIT, () => this.#miss());
    this.#timers.start("short ring", SHORT_RING, () => {});
    this.#phone.showRing(ringTitle(peer.name));
    this.#dialog.show(peer);
  }

  /** Answers a ring as busy. */
  #refuse(room, peer) {
    this.#timers.start(`refused ${peer.id}`, RING_LIMIT, () => {});
    this.#hangUp(room, peer.id);
    this.#phone.tell(text("chat.call.missed", { name: peer.name }));
  }

  #hungUp(room, from) {
    if (this.#ring?.room === room && this.#ring.peer.id === from) {
      if (this.#timers.isRunning("short ring")) this.#noteShortRing(from);
      return this.#miss();
    }
    const { peer, role, opposite } = this.#visit ?? {};
    if (peer?.id !== from) return;
    if (opposite === room) this.#visit.opposite = undefined;
    if (this.#visit.room !== String(room)) return;
    this.#end((name) => text(role === "caller" ? "chat.call.declined" : "chat.call.cancelled", { name }));
  }

  /** Stops to ring, because the same person has answered or declined on another device. */
  #hungUpElsewhere(room, withId) {
    if (this.#ring?.room !== room || (withId !== undefined && withId !== this.#ring.peer.id)) return;
    this.#stopRinging();
  }

  /** Ends the visit, unless media has flowed, for a reason that the other person may know. */
  #end(sentence, isKnown = true) {
    this.#visit.isKnown = isKnown;
    this.#phone.endVisit(this.#visit.room, sentence(this.#visit.peer.name));
  }

  #answer() {
    const ring = this.#stopRinging();
    if (!ring) return;
    // A call may have begun since the ring.
    if (this.#isBusy) return this.#refuse(ring.room, ring.peer);
    this.#chat.send({ type: "answer", room: ring.room, withId: ring.peer.id });
    this.#begin(ring.room, ring.peer, "callee");
  }

  #decline(act = () => {}) {
    const ring = this.#stopRinging();
    if (!ring) return;
    this.#hangUp(ring.room, ring.peer.id);
    this.#silence(ring.peer.id);
    act(ring.peer);
  }

  /** Declines a person who rings shortly again and again, with a dialog each time that cannot be used. */
  #noteShortRing(id) {
    if (this.#timers.isRunning(`short ${id}`)) return this.#silence(id);
    this.#timers.start(`short ${id}`, DECLINED_LIMIT, () => {});
  }

  /** Lets a person not ring for a while. */
  #silence(id) {
    this.#timers.start(`declined ${id}`, DECLINED_LIMIT, () => {});
  }

  #miss() {
    const ring = this.#stopRinging();
    if (ring) this.#phone.tell(text("chat.call.missed", { name: ring.peer.name }));
  }

  #stopRinging() {
    const ring = this.#ring;
    this.#ring = null;
    this.#timers.cancel("ring");
    this.#timers.cancel("short ring");
    this.#dialog.close();
    this.#phone.showRing("");
    return ring;
  }

  #hangUp(room, withId) {
    const frame = { type: "hangup", room, withId };
    if (this.#chat.send(frame)) return;
    this.#unsent = frame;
    this.#timers.start("unsent", RING_LIMIT, () => this.#forgetUnsent());
  }

  #forgetUnsent() {
    this.#unsent = null;
    this.#timers.cancel("unsent");
  }
}

/** Returns one of so many rooms that nobody else finds it while it rings. */
function newRoom() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return FIRST_ROOM + (high % 2 ** 20) * 2 ** 32 + low;
}

/** Whether a room is one of calls. */
function isRoom(room) {
  return Number.isSafeInteger(room) && room >= FIRST_ROOM;
}

/** The sentence about a call that the server has refused. */
function refusal(code, name, reason) {
  const key = `chat.call.refused.${code}`;
  return has(key) ? text(key, { name }) : text("chat.call.refused", { name, reason: String(reason ?? code) });
}
