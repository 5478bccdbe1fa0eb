// One conversation: its messages, and those that the server does not have yet.

import { Timers } from "../timers.js";
import { has, text } from "../strings.js";
import { Connection } from "./connection.js";

/** The reactions that the server knows. */
export const REACTIONS = ["like", "love", "laugh", "wow", "sad", "thanks"];
/** The longest text in characters. */
export const LONGEST = 4000;
const TYPING = 5000;
const CONFIRMATION = 10_000;
const PACE = 1000;
const PAGE = 50;

/**
 * A message as it is shown.
 * @typedef {object} Item
 * @property {string} key
 * @property {string} [id]
 * @property {string} text
 * @property {number} time milliseconds since 1970
 * @property {boolean} isMine
 * @property {boolean} isAutomatic
 * @property {boolean} isEdited
 * @property {boolean} isDeleted
 * @property {boolean} isRead
 * @property {boolean} isAnswered whether the other person has written after it
 * @property {Record<string, number[]>} reactions
 * @property {{id: string, url: string, type: string} | null} media
 * @property {"stored" | "sending" | "waiting" | "not-sent"} progress
 */

/** The conversation with one person. */
export class Conversation {
  /** @type {"connecting" | "open" | "reconnecting"} */
  link = "connecting";
  /** @type {"plain" | "extended" | null} */
  mode = null;
  isLoaded = false;
  hasMore = false;
  isTyping = false;
  /** @type {boolean | null} */
  isOnline = null;
  /** The sentence about the latest refusal. */
  problem = "";

  #own;
  #peer;
  #onChange;
  #connection;
  #timers = new Timers();
  #hasHello = false;
  #isLoadingOlder = false;
  /** @type {Item[]} */
  #stored = [];
  /** @type {{id: string, text: string, time: number, isSent: boolean, isFailed: boolean}[]} */
  #outbox;
  #lastRead = "";

  /**
   * @param {import("./connection.js").Identity} identity
   * @param {{id: number, name: string}} peer
   * @param {() => void} onChange
   */
  constructor(identity, peer, onChange) {
    this.#own = identity.own;
    this.#peer = peer;
    this.#onChange = onChange;
    this.#outbox = this.#restore();
    this.#connection = new Connection(identity, peer.id, {
      onFrame: (frame) => this.#handle(frame),
      onLost: () => this.#lost(),
    });
  }

  start() {
    this.#connection.open();
  }

  stop() {
    this.#connection.close();
    this.#forgetConnection("connecting");
  }

  /** @returns {Item[]} the messages of the server, then those that it does not have */
  get items() {
    const answered = this.#stored.findLastIndex(({ isMine }) => !isMine);
    const stored = this.#stored.map((item, index) => ({ ...item, isAnswered: item.isMine && index < answered }));
    return [...stored, ...this.#outbox.map((message) => this.#waiting(message))];
  }

  /** Sends a text; false if it cannot be accepted now, so that it stays in the field. */
  send(words) {
    const trimmed = words.trim();
    if (!trimmed) return true;
    if ([...trimmed].length > LONGEST) return this.#refuse("chat.problem.long");
    // A plain server gives no IDs, so nothing may be sent twice.
    if (this.mode !== "extended" && this.link !== "open") return this.#refuse("chat.problem.offline");
    this.problem = "";
    const message = { id: newID(), text: trimmed, time: Date.now(), isSent: false, isFailed: false };
    this.#outbox.push(message);
    this.#keep(message);
    this.#flush();
    this.#onChange();
    return true;
  }

  retry(key) {
    const message = this.#outbox.find(({ id }) => id === key);
    if (!message) return;
    Object.assign(message, { isFailed: false, isSent: false });
    this.#keep(message);
    this.#flush();
    this.#onChange();
  }

  discard(key) {
    this.#outbox = this.#outbox.filter(({ id }) => id !== key);
    this.#forget(key);
    this.#onChange();
  }

  react(item, reaction) {
    const isGiven = item.reactions[reaction]?.includes(this.#own);
    this.#connection.send({ type: "reaction", id: item.id, reaction, op: isGiven ? "remove" : "add" });
  }

  delete(item) {
    this.#connection.send({ type: "delete", id: item.id });
  }

  typing() {
    if (this.mode !== "extended" || this.#timers.isRunning("own-typing")) return;
    this.#timers.start("own-typing", 3000, () => {});
    this.#connection.send({ type: "typing" });
  }

  loadOlder() {
    const first = this.#stored[0]?.id;
    if (!this.hasMore || this.#isLoadingOlder || !first) return;
    this.#isLoadingOlder = this.#connection.send({ type: "history", before: first, limit: PAGE });
  }

  /** Tells the other person that everything up to the newest message has been read. */
  read() {
    const last = this.#stored.findLast(({ isMine }) => !isMine)?.id;
    if (!last || last === this.#lastRead || this.mode !== "extended" || this.link !== "open") return;
    this.#lastRead = last;
    this.#connection.send({ type: "read", id: last });
  }

  // Frames

  #handle(frame) {
    switch (frame.type) {
      case "hello":
        this.#hasHello = true;
        this.mode = "extended";
        break;
      case "history":
        if (Array.isArray(frame.items)) this.#receiveHistory(frame);
        break;
      case "message":
        if (isMessage(frame.item)) this.#receive(frame.item);
        break;
      case "edit":
        this.#change(frame, (item) => Object.assign(item, { text: String(frame.message), isEdited: true }));
        break;
      case "delete":
        this.#change(frame, (item) => Object.assign(item, { text: "", isDeleted: true, media: null, reactions: {} }));
        break;
      case "reaction":
        this.#change(frame, (item) => react(item, frame));
        break;
      case "typing":
        this.isTyping = true;
        this.#timers.start("typing", TYPING, () => this.#stopTyping());
        break;
      case "read":
        if (frame.fromId === this.#peer.id) this.#markRead(frame.id);
        break;
      case "presence":
        if (frame.userId === this.#peer.id) this.isOnline = frame.isOnline === true;
        break;
      case "error":
        this.#fail(frame);
        break;
      default:
        return;
    }
    this.#onChange();
  }

  #receiveHistory(frame) {
    const items = frame.items.filter(isMessage).map((message, index) => this.#item(message, index));
    if (typeof frame.before === "string") {
      this.#isLoadingOlder = false;
      if (frame.before !== this.#stored[0]?.id) return;
      this.#stored = [...items, ...this.#stored];
      this.hasMore = frame.more === true;
      return;
    }
    if (!this.#hasHello) this.mode = "plain";
    const known = this.#stored.findIndex(({ id }) => id && id === items[0]?.id);
    // Older pages stay if the new one continues them.
    if (known > 0) this.#stored = [...this.#stored.slice(0, known), ...items];
    else {
      this.#stored = items;
      this.hasMore = frame.more === true;
    }
    this.link = "open";
    this.isLoaded = true;
    this.#connection.succeeded();
    for (const item of items) this.#confirm(item);
    this.#flush();
  }

  #receive(message) {
    const item = this.#item(message, this.#stored.length);
    const known = item.id ? this.#stored.findIndex(({ id }) => id === item.id) : -1;
    if (known >= 0) this.#stored[known] = { ...item, isRead: this.#stored[known].isRead };
    else this.#stored.push(item);
    if (item.isMine) this.#confirm(item);
    else this.#stopTyping();
    this.#flush();
  }

  #item(message, index) {
    const id = typeof message.id === "string" ? message.id : undefined;
    return {
      key: id ?? `${message.timestamp}|${message.from}|${index}`,
      id,
      text: message.message,
      time: Date.parse(message.timestamp) || 0,
      isMine: message.fromId === undefined ? message.from === String(this.#own) : message.fromId === this.#own,
      isAutomatic: message.auto === true,
      isEdited: message.edited === true,
      isDeleted: message.deleted === true,
      isRead: false,
      isAnswered: false,
      reactions: { ...message.reactions },
      media: message.media ?? null,
      progress: "stored",
    };
  }

  #waiting({ id, text, time, isSent, isFailed }) {
    const progress = isFailed ? "not-sent" : isSent && this.link === "open" ? "sending" : "waiting";
    return {
      key: id, text, time, progress, isMine: true, isAutomatic: false, isEdited: false, isDeleted: false,
      isRead: false, isAnswered: false, reactions: {}, media: null,
    };
  }

  #change({ id, fromId }, body) {
    const item = this.#stored.find((item) => item.id === id);
    if (item && Number.isInteger(fromId)) body(item);
  }

  #markRead(id) {
    const last = this.#stored.findIndex((item) => item.id === id);
    for (const item of this.#stored.slice(0, last + 1)) if (item.isMine) item.isRead = true;
  }

  #stopTyping() {
    this.#timers.cancel("typing");
    if (!this.isTyping) return;
    this.isTyping = false;
    this.#onChange();
  }

  #lost() {
    this.#forgetConnection("reconnecting");
    this.#onChange();
  }

  /** Forgets what belongs to a connection that has ended. */
  #forgetConnection(link) {
    this.link = link;
    this.#lastRead = "";
    this.#hasHello = false;
    this.#isLoadingOlder = false;
    this.isTyping = false;
    this.#timers.cancelAll();
    for (const message of this.#outbox) {
      // Nobody knows whether a plain server has got it; its history may tell.
      if (this.mode !== "extended" && message.isSent) message.isFailed = true;
      else message.isSent = false;
      this.#keep(message);
    }
  }

  // The outbox

  #flush() {
    if (this.link !== "open" || this.#timers.isRunning("pace")) return;
    for (const message of this.#outbox.filter(({ isSent, isFailed }) => !isSent && !isFailed).slice(0, 10)) {
      const frame = this.mode === "extended" ? { type: "message", id: message.id, message: message.text } : message.text;
      if (!this.#connection.send(frame)) return;
      message.isSent = true;
      this.#timers.start("confirmation", CONFIRMATION, () => this.#connection.drop());
    }
  }

  #confirm(item) {
    if (!item.isMine || item.isAutomatic) return;
    const index = this.#outbox.findIndex(({ id, text, isSent }) => (item.id ? id === item.id : isSent && text === item.text));
    if (index < 0) return;
    const [{ id }] = this.#outbox.splice(index, 1);
    this.#forget(id);
    this.#awaitConfirmation();
  }

  /** Waits for the confirmation of what is under way only while anything is. */
  #awaitConfirmation() {
    if (!this.#outbox.some(({ isSent, isFailed }) => isSent && !isFailed)) this.#timers.cancel("confirmation");
  }

  #fail({ code, ref, message: reason }) {
    this.#isLoadingOlder = false;
    const message = this.#outbox.find(({ id }) => id === ref);
    if (message && (code === "too_fast" || code === "busy")) {
      message.isSent = false;
      this.#timers.start("pace", PACE, () => this.#flush());
      return;
    }
    if (message) {
      message.isFailed = true;
      this.#keep(message);
      this.#awaitConfirmation();
    }
    // A sign of typing that came too soon matters to nobody.
    if (message || code !== "too_fast") this.#refuse(`chat.problem.${code}`, String(reason ?? ""));
    this.#flush();
  }

  #refuse(problem, reason = "") {
    this.problem = has(problem) ? text(problem) : reason;
    this.#onChange();
    return false;
  }

  get #place() {
    return `callrunner.outbox.${this.#own}.${this.#peer.id}.`;
  }

  /** Keeps a message in the browser, under a name of its own, because other tabs keep theirs. */
  #keep(message) {
    // The chat works without storage too.
    try {
      localStorage.setItem(this.#place + message.id, JSON.stringify(message));
    } catch {}
  }

  #forget(id) {
    try {
      localStorage.removeItem(this.#place + id);
    } catch {}
  }

  #restore() {
    try {
      return Object.keys(localStorage)
        .filter((key) => key.startsWith(this.#place))
        .map((key) => JSON.parse(localStorage.getItem(key)))
        .filter((kept) => typeof kept?.id === "string" && typeof kept.text === "string" && Number.isFinite(kept.time))
        .map((kept) => ({ ...kept, isSent: false }))
        .sort((one, other) => one.time - other.time);
    } catch {
      return [];
    }
  }
}

function isMessage(item) {
  return [item?.from, item?.to, item?.message, item?.timestamp].every((field) => typeof field === "string");
}

function react(item, { reaction, op, fromId }) {
  if (!REACTIONS.includes(reaction)) return;
  const others = (item.reactions[reaction] ?? []).filter((person) => person !== fromId);
  item.reactions[reaction] = op === "remove" ? others : [...others, fromId];
}

/** Makes an ID that nobody else makes; pages over plain HTTP have no `randomUUID`. */
function newID() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
