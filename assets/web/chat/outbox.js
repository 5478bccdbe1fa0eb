// The messages of one conversation that the server does not have yet, which the browser keeps.

/**
 * @typedef {object} Waiting
 * @property {string} id
 * @property {string} text
 * @property {number} time milliseconds since 1970
 * @property {{id: string, url: string, type: string} | null} media a file that the server has
 * @property {boolean} isSent
 * @property {boolean} isFailed
 */

export class Outbox {
  /** @type {Map<string, Waiting>} by place, the messages that the browser refused to keep */
  static unkept = new Map();

  /** @type {Waiting[]} the oldest one first */
  messages;
  #place;

  /**
   * @param {number} own
   * @param {number} peer
   */
  constructor(own, peer) {
    this.#place = `callrunner.outbox.${own}.${peer}.`;
    this.messages = this.#restore();
  }

  /** Adds a message, and returns it. */
  add(text, media = null) {
    const message = { id: newID(), text, time: Date.now(), media, isSent: false, isFailed: false };
    this.messages.push(message);
    this.keep(message);
    return message;
  }

  /** Keeps a message in the browser, under a name of its own, because other tabs keep theirs. */
  keep(message) {
    // The chat works without storage too.
    try {
      localStorage.setItem(this.#place + message.id, JSON.stringify(message));
      Outbox.unkept.delete(this.#place + message.id);
    } catch {
      Outbox.unkept.set(this.#place + message.id, message);
    }
  }

  remove(id) {
    this.messages = this.messages.filter((message) => message.id !== id);
    Outbox.unkept.delete(this.#place + id);
    try {
      localStorage.removeItem(this.#place + id);
    } catch {}
  }

  #restore() {
    const unkept = [...Outbox.unkept].filter(([key]) => key.startsWith(this.#place)).map(([, message]) => message);
    return [...this.#kept(), ...unkept]
      .map((message) => ({ ...message, media: message.media ?? null, isSent: false }))
      .sort((one, other) => one.time - other.time);
  }

  #kept() {
    try {
      return Object.keys(localStorage)
        .filter((key) => key.startsWith(this.#place) && !Outbox.unkept.has(key))
        .map((key) => parsed(localStorage.getItem(key)))
        .filter((kept) => typeof kept?.id === "string" && typeof kept.text === "string" && Number.isFinite(kept.time));
    } catch {
      return [];
    }
  }
}

/** Reads a kept message; null if it is damaged. */
function parsed(json) {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** Makes an ID that nobody else makes; pages over plain HTTP have no `randomUUID`. */
export function newID() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the frame that sends a message. */
export function frameOf({ id, text, media }) {
  return { type: "message", id, message: text, ...(media && { media: { id: media.id } }) };
}
