// One conversation: its messages, and those that the server does not have yet.

import { Timers } from "../timers.js";
import { has, text } from "../strings.js";
import { Connection } from "./connection.js";
import { frameOf, Outbox } from "./outbox.js";

/** The reactions that the server knows. */
export const REACTIONS = ["like", "love", "laugh", "wow", "sad", "thanks"];
/** The longest text in characters. */
export const LONGEST = 4000;
const TYPING = 5000;
const CONFIRMATION = 10_000;
const PACE = 1000;
const PAGE = 50;
/** The number of the newest messages that are kept, so that nobody fills the memory by writing. */
const MOST = 500;
/** The same while the user reads older ones. */
const MOST_WHILE_READING = 5000;

/**
 * A message as it is shown. It never changes: one that has changed is another object.
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
  /** whether the server answers for the other person, who can then not be called */
  isPeerSimulated = false;
  /** The sentence about the latest refusal. */
  problem = "";
  /** Whether older messages than the newest are being read. */
  isReading = false;

  #own;
  #peer;
  #onChange;
  #connection;
  #timers = new Timers();
  #hasHello = false;
  #isLoadingOlder = false;
  /** @type {Item[]} */
  #stored = [];
  /** The number of messages that were stored before these, and are not kept. */
  #dropped = 0;
  #outbox;
  /** @type {WeakMap<object, Item>} the messages of the outbox as they are shown */
  #waiting = new WeakMap();
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
    this.#outbox = new Outbox(identity.own, peer.id);
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
    return [...this.#stored, ...this.#outbox.messages.map((message) => this.#waitingItem(message))];
  }

  /** Sends a text; false if it cannot be accepted now, so that it stays in the field. */
  send(words) {
    const trimmed = words.trim();
    if (!trimmed) return true;
    if ([...trimmed].length > LONGEST) return this.refuse("chat.problem.long");
    // A plain server gives no IDs, so nothing may be sent twice.
    if (this.mode !== "extended" && this.link !== "open") return this.refuse("chat.problem.offline");
    this.problem = "";
    this.#outbox.add(trimmed);
    this.#flush();
    this.#onChange();
    return true;
  }

  /** Sends a file that the server has, with its name or without words. */
  sendFile(media, words) {
    this.problem = "";
    this.#outbox.add(words, media);
    this.#flush();
    this.#onChange();
  }

  retry(key) {
    const message = this.#outbox.messages.find(({ id }) => id === key);
    if (!message) return;
    Object.assign(message, { isFailed: false, isSent: false });
    this.#outbox.keep(message);
    this.#flush();
    this.#onChange();
  }

  discard(key) {
    this.#outbox.remove(key);
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
        this.isPeerSimulated = frame.isPeerSimulated === true;
        break;
      case "history":
        if (Array.isArray(frame.items)) this.#receiveHistory(frame);
        break;
      case "message":
        if (isMessage(frame.item)) this.#receive(frame.item);
        break;
      case "edit":
        this.#change(frame, () => ({ text: String(frame.message), isEdited: true }));
        break;
      case "delete":
        this.#change(frame, () => ({ text: "", isDeleted: true, media: null, reactions: {} }));
        break;
      case "reaction":
        this.#change(frame, (item) => ({ reactions: reactionsAfter(frame, item) }));
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
    const known = new Map(this.#stored.map((item) => [item.key, item]));
    const items = frame.items.filter(isMessage)
      .map((message, index) => this.#item(message, index))
      .map((item) => unchanged(known.get(item.key), item) ?? item);
    if (typeof frame.before === "string") {
      this.#isLoadingOlder = false;
      if (frame.before !== this.#stored[0]?.id) return;
      this.#stored = [...items, ...this.#stored];
      this.hasMore = frame.more === true;
      this.#noteAnswers();
      return;
    }
    if (!this.#hasHello) this.mode = "plain";
    const first = this.#stored.findIndex(({ id }) => id && id === items[0]?.id);
    // Older pages stay if the new one continues them.
    if (first > 0) this.#stored = [...this.#stored.slice(0, first), ...items];
    else {
      this.#stored = items;
      this.#dropped = 0;
      this.hasMore = frame.more === true;
    }
    this.#noteAnswers();
    this.link = "open";
    this.isLoaded = true;
    this.#connection.succeeded();
    for (const item of items) this.#confirm(item);
    this.#flush();
  }

  #receive(message) {
    const item = this.#item(message, this.#dropped + this.#stored.length);
    const known = item.id ? this.#stored.findLastIndex(({ id }) => id === item.id) : -1;
    if (known >= 0) {
      const { isRead, isAnswered } = this.#stored[known];
      this.#stored[known] = { ...item, isRead, isAnswered };
    } else {
      this.#stored.push(item);
      this.#dropOldest();
    }
    this.#noteAnswers();
    if (item.isMine) this.#confirm(item);
    else this.#stopTyping();
    this.#flush();
  }

  #dropOldest() {
    const excess = this.#stored.length - (this.isReading ? MOST_WHILE_READING : MOST);
    if (excess <= 0) return;
    this.#stored.splice(0, excess);
    this.#dropped += excess;
    this.hasMore = true;
  }

  /** Notes which own messages the other person has answered, by writing after them. */
  #noteAnswers() {
    const last = this.#stored.findLastIndex(({ isMine }) => !isMine);
    for (let index = 0; index < last; index += 1) {
      const { isMine, isAnswered } = this.#stored[index];
      if (isMine && !isAnswered) this.#replace(index, { isAnswered: true });
    }
  }

  #replace(index, changes) {
    this.#stored[index] = { ...this.#stored[index], ...changes };
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

  #waitingItem(message) {
    const { id, text, time, media, isSent, isFailed } = message;
    const progress = isFailed ? "not-sent" : isSent && this.link === "open" ? "sending" : "waiting";
    const known = this.#waiting.get(message);
    if (known?.progress === progress) return known;
    const item = {
      key: id, text, time, media, progress, isMine: true, isAutomatic: false, isEdited: false, isDeleted: false,
      isRead: false, isAnswered: false, reactions: {},
    };
    this.#waiting.set(message, item);
    return item;
  }

  /** @param {(item: Item) => Partial<Item>} changes returns what differs afterwards */
  #change({ id, fromId }, changes) {
    const index = this.#stored.findLastIndex((item) => item.id === id);
    if (index >= 0 && Number.isInteger(fromId)) this.#replace(index, changes(this.#stored[index]));
  }

  #markRead(id) {
    const last = this.#stored.findLastIndex((item) => item.id === id);
    for (let index = 0; index <= last; index += 1) {
      const { isMine, isRead } = this.#stored[index];
      if (isMine && !isRead) this.#replace(index, { isRead: true });
    }
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
    for (const message of this.#outbox.messages) {
      // Nobody knows whether a plain server has got it; its history may tell.
      if (this.mode !== "extended" && message.isSent) message.isFailed = true;
      else message.isSent = false;
      this.#outbox.keep(message);
    }
  }

  // The outbox

  #flush() {
    if (this.link !== "open" || this.#timers.isRunning("pace")) return;
    const waiting = this.#outbox.messages.filter(({ isSent, isFailed }) => !isSent && !isFailed);
    for (const message of waiting.slice(0, 10)) {
      const frame = this.mode === "extended" ? frameOf(message) : message.text;
      if (!this.#connection.send(frame)) return;
      message.isSent = true;
      this.#timers.start("confirmation", CONFIRMATION, () => this.#connection.drop());
    }
  }

  #confirm(item) {
    if (!item.isMine || item.isAutomatic) return;
    const message = this.#outbox.messages
      .find(({ id, text, isSent }) => (item.id ? id === item.id : isSent && text === item.text));
    if (!message) return;
    this.#outbox.remove(message.id);
    this.#awaitConfirmation();
  }

  /** Waits for the confirmation of what is under way only while anything is. */
  #awaitConfirmation() {
    if (!this.#outbox.messages.some(({ isSent, isFailed }) => isSent && !isFailed)) this.#timers.cancel("confirmation");
  }

  #fail({ code, ref, message: reason }) {
    this.#isLoadingOlder = false;
    const message = this.#outbox.messages.find(({ id }) => id === ref);
    if (message && (code === "too_fast" || code === "busy")) {
      message.isSent = false;
      this.#timers.start("pace", PACE, () => this.#flush());
      return;
    }
    if (message) {
      message.isFailed = true;
      this.#outbox.keep(message);
      this.#awaitConfirmation();
    }
    // A sign of typing that came too soon matters to nobody.
    if (message || code !== "too_fast") this.refuse(`chat.problem.${code}`, String(reason ?? ""));
    this.#flush();
  }

  /** Tells that something cannot be sent, with a sentence about the problem or with the reason; false. */
  refuse(problem, reason = "") {
    this.problem = has(problem) ? text(problem) : reason;
    this.#onChange();
    return false;
  }
}

function isMessage(item) {
  return [item?.from, item?.to, item?.message, item?.timestamp].every((field) => typeof field === "string");
}

/** Returns the known message if another one tells the same. */
function unchanged(known, item) {
  if (!known) return undefined;
  const { isRead, isAnswered } = known;
  return JSON.stringify(known) === JSON.stringify({ ...item, isRead, isAnswered }) ? known : undefined;
}

function reactionsAfter({ reaction, op, fromId }, { reactions }) {
  if (!REACTIONS.includes(reaction)) return reactions;
  const others = (reactions[reaction] ?? []).filter((person) => person !== fromId);
  return { ...reactions, [reaction]: op === "remove" ? others : [...others, fromId] };
}
