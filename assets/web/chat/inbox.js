// All conversations of the user: what is unread, and who is online.

import { Connection } from "./connection.js";

/** The inbox, which servers of the original protocol do not have. */
export class Inbox {
  /** @type {Map<number, {last: string, unread: number}>} */
  conversations = new Map();
  /** @type {Map<number, boolean>} */
  presence = new Map();
  #own;
  #connection;
  #onChange;
  #onCall;

  /**
   * @param {import("./connection.js").Identity} identity
   * @param {() => void} onChange
   * @param {(frame: object) => void} onCall gets the frames that concern calls
   */
  constructor(identity, onChange, onCall) {
    this.#own = identity.own;
    this.#onChange = onChange;
    this.#onCall = onCall;
    this.#connection = new Connection(identity, null, {
      onFrame: (frame) => this.#handle(frame),
      onLost: () => this.presence.clear(),
    });
  }

  start() {
    this.#connection.open();
  }

  /** Sends a frame, if there is a connection. */
  send(frame) {
    this.#connection.send(frame);
  }

  /** The number of conversations with something that was not read. */
  get unread() {
    return [...this.conversations.values()].filter(({ unread }) => unread > 0).length;
  }

  /** Forgets what is unread of a conversation, because it is open. */
  seen(peer) {
    const conversation = this.conversations.get(peer);
    if (conversation) conversation.unread = 0;
  }

  #handle(frame) {
    if (frame.type === "conversations" && Array.isArray(frame.items)) {
      this.#connection.succeeded();
      this.conversations = new Map(frame.items.map(({ withId, last, unread }) =>
        [withId, { last: last?.message ?? "", unread: Number(unread) || 0 }]));
    } else if (frame.type === "message") {
      const { fromId, toId, message } = frame.item ?? {};
      const isMine = fromId === this.#own;
      const peer = isMine ? toId : fromId;
      if (!Number.isInteger(peer)) return;
      const unread = this.conversations.get(peer)?.unread ?? 0;
      this.conversations.set(peer, { last: String(message), unread: isMine ? unread : unread + 1 });
    } else if (frame.type === "read" && frame.fromId === this.#own) {
      this.seen(frame.withId);
    } else if (frame.type === "presence") {
      this.presence.set(frame.userId, frame.isOnline === true);
    } else {
      const isCall = (frame.type === "call" || frame.type === "hangup") && frame.fromId !== this.#own;
      if (isCall || frame.type === "error") this.#onCall(frame);
      return;
    }
    this.#onChange();
  }
}
