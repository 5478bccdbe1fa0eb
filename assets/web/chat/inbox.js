// All conversations of the user: what is unread, and who is online.

import { Connection } from "./connection.js";
import { summary } from "./describe.js";

/**
 * @typedef {object} InboxHandlers
 * @property {() => void} onChange
 * @property {() => void} onConnected
 * @property {() => void} onLost
 * @property {(frame: object) => void} onCall gets the frames that concern calls
 * @property {(frame: {code: string, message: string}) => void} onError
 * @property {(id: string) => void} onStored gets the IDs of the user's messages that the server has
 * @property {(id: number) => boolean} isMuted
 */

/** The inbox, which servers of the original protocol do not have. */
export class Inbox {
  /** @type {Map<number, {last: string, unread: number}>} */
  conversations = new Map();
  /** @type {Map<number, boolean>} */
  presence = new Map();
  /** @type {Set<number>} the people whom the user has blocked */
  blocked = new Set();
  #own;
  #connection;
  #handlers;

  /**
   * @param {import("./connection.js").Identity} identity
   * @param {InboxHandlers} handlers
   */
  constructor(identity, handlers) {
    this.#own = identity.own;
    this.#handlers = handlers;
    this.#connection = new Connection(identity, null, {
      onFrame: (frame) => this.#handle(frame),
      onLost: () => {
        this.presence.clear();
        handlers.onLost();
      },
    });
  }

  start() {
    this.#connection.open();
  }

  /** Closes the connection for good, as another account is used. */
  stop() {
    this.#connection.close();
  }

  /** Sends a frame; false if there is no connection. */
  send(frame) {
    return this.#connection.send(frame);
  }

  /** The number of conversations with something that was not read, except those with muted people. */
  get unread() {
    return [...this.conversations].filter(([id, { unread }]) => unread > 0 && !this.#handlers.isMuted(id)).length;
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
        [withId, { last: last ? summary(last) : "", unread: Number(unread) || 0 }]));
      this.#handlers.onConnected();
    } else if (frame.type === "message") {
      const { fromId, toId } = frame.item ?? {};
      const isMine = fromId === this.#own;
      const peer = isMine ? toId : fromId;
      if (isMine) this.#handlers.onStored(frame.item.id);
      if (!Number.isInteger(peer)) return;
      const unread = this.conversations.get(peer)?.unread ?? 0;
      this.conversations.set(peer, { last: summary(frame.item), unread: isMine ? unread : unread + 1 });
    } else if (frame.type === "read" && frame.fromId === this.#own) {
      this.seen(frame.withId);
    } else if (frame.type === "presence") {
      this.presence.set(frame.userId, frame.isOnline === true);
    } else if (frame.type === "blocked" && Array.isArray(frame.userIds)) {
      this.blocked = new Set(frame.userIds);
    } else {
      const isCall = frame.type === "call" && frame.fromId !== this.#own;
      // A hangup of the user comes from another device.
      if (isCall || frame.type === "hangup") this.#handlers.onCall(frame);
      if (frame.type === "error") this.#handlers.onError(frame);
      return;
    }
    this.#handlers.onChange();
  }
}
