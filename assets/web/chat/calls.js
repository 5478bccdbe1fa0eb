// The calls from conversations: the ring of another person, and the visit to a room for one call.

import { text } from "../strings.js";
import { Timers } from "../timers.js";

/** The time for which a call rings, and within which the other person must come, in milliseconds. */
export const RING_LIMIT = 45_000;

const element = (id) => document.getElementById(id);

/**
 * A room that is joined for one call with a person.
 * @typedef {{room: string, role: "caller" | "callee", name: string, peer: {id: number, name: string}}} Visit
 */

/**
 * @typedef {object} Phone the part of the page that makes calls
 * @property {() => boolean} isBusy whether there is a call
 * @property {(visit: Visit) => void} visit
 * @property {(room: string, why: string) => void} endVisit ends a visit in which media has not flowed
 * @property {(sentence: string) => void} tell
 */

export class ChatCalls {
  #phone;
  #send;
  #name;
  #find;
  #timers = new Timers();
  /** @type {{room: number, peer: {id: number, name: string}} | null} */
  #ring = null;
  /** @type {Visit | null} */
  #visit = null;

  /**
   * @param {Phone} phone
   * @param {{send: (frame: object) => void, name: () => string, find: (id: number) => Promise<{id: number, name: string}>}} chat
   */
  constructor(phone, { send, name, find }) {
    this.#phone = phone;
    this.#send = send;
    this.#name = name;
    this.#find = find;
    element("ring-answer").addEventListener("click", () => this.#answer());
    element("ring-decline").addEventListener("click", () => this.#decline());
    element("ring").addEventListener("cancel", (event) => {
      event.preventDefault();
      this.#decline();
    });
  }

  /** Calls a person. */
  call(peer) {
    if (this.#isBusy || this.#ring) return;
    const room = 100_000 + Math.floor(Math.random() * 900_000);
    this.#send({ type: "call", room, withId: peer.id });
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
    if (!wasCall) this.#hangUp(Number(visit.room), visit.peer.id);
  }

  /** @param {{type: string, room?: number, fromId?: number, code?: string}} frame a frame of the inbox */
  async handle({ type, room, fromId, code }) {
    if (type === "call" && isRoom(room)) this.#rang(room, await this.#find(fromId));
    if (type === "hangup") this.#hungUp(room, fromId);
    if (type === "error" && code === "offline") this.#end((name) => text("chat.call.unreachable", { name }));
  }

  get #isBusy() {
    return this.#visit !== null || this.#phone.isBusy();
  }

  #begin(room, peer, role) {
    this.#visit = { room: String(room), role, name: [...this.#name()].slice(0, 64).join(""), peer };
    this.#phone.visit(this.#visit);
  }

  #rang(room, peer) {
    if (this.#isBusy || (this.#ring && this.#ring.peer.id !== peer.id)) {
      this.#hangUp(room, peer.id);
      return this.#phone.tell(text("chat.call.missed", { name: peer.name }));
    }
    this.#ring = { room, peer };
    this.#timers.start("ring", RING_LIMIT, () => this.#miss());
    element("ring-name").textContent = peer.name;
    document.title = `${peer.name} ${text("chat.call.ring")} · callrunner`;
    if (!element("ring").open) element("ring").showModal();
  }

  #hungUp(room, from) {
    if (this.#ring?.room === room && this.#ring.peer.id === from) return this.#miss();
    const { peer, role } = this.#visit ?? {};
    if (peer?.id !== from || this.#visit.room !== String(room)) return;
    this.#end((name) => text(role === "caller" ? "chat.call.declined" : "chat.call.cancelled", { name }));
  }

  /** Ends the visit for a reason that the other person knows. */
  #end(sentence) {
    const visit = this.#visit;
    if (!visit) return;
    this.#visit = null;
    this.#phone.endVisit(visit.room, sentence(visit.peer.name));
  }

  #answer() {
    const ring = this.#stopRinging();
    if (ring) this.#begin(ring.room, ring.peer, "callee");
  }

  #decline() {
    const ring = this.#stopRinging();
    if (ring) this.#hangUp(ring.room, ring.peer.id);
  }

  #miss() {
    const ring = this.#stopRinging();
    if (ring) this.#phone.tell(text("chat.call.missed", { name: ring.peer.name }));
  }

  #stopRinging() {
    const ring = this.#ring;
    this.#ring = null;
    this.#timers.cancel("ring");
    element("ring").close();
    if (ring) document.title = "callrunner";
    return ring;
  }

  #hangUp(room, withId) {
    this.#send({ type: "hangup", room, withId });
  }
}

function isRoom(room) {
  return Number.isInteger(room) && room >= 1 && room <= 1_000_000;
}
