// A WebSocket of the chat that is opened again when it is lost.

import { Timers } from "../timers.js";

/** The waits before the first attempts to connect again, in milliseconds; the last one is repeated. */
const WAITS = [500, 1000, 2000, 4000, 8000];
/** The time in milliseconds within which the first frame must come. */
const FIRST_FRAME = 10_000;

/**
 * @typedef {object} Identity
 * @property {number} own the ID of the user
 * @property {string} [token] the access token, where the server wants one
 */

/**
 * @typedef {object} ConnectionHandlers
 * @property {(frame: object) => void} onFrame
 * @property {() => void} onLost the connection is lost, and is tried again
 */

/** One connection: for a conversation, or for the inbox without another person. */
export class Connection {
  #identity;
  #peer;
  #handlers;
  #timers = new Timers();
  /** @type {WebSocket | null} */
  #socket = null;
  #losses = 0;

  /**
   * @param {Identity} identity
   * @param {number | null} peer
   * @param {ConnectionHandlers} handlers
   */
  constructor(identity, peer, handlers) {
    this.#identity = identity;
    this.#peer = peer;
    this.#handlers = handlers;
  }

  open() {
    if (this.#socket) return;
    const query = new URLSearchParams({ userId: String(this.#identity.own) });
    if (this.#peer !== null) query.set("withId", String(this.#peer));
    query.set("v", "2");
    if (this.#identity.token) query.set("token", this.#identity.token);
    const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/ws/chat?${query}`);
    this.#socket = socket;
    this.#timers.start("first", FIRST_FRAME, () => this.#drop(socket));
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket || typeof data !== "string") return;
      this.#timers.cancel("first");
      const frame = parse(data);
      if (frame) this.#handlers.onFrame(frame);
    };
    socket.onclose = ({ code }) => this.#lose(socket, code);
  }

  /** Notes that the connection works, so that the next wait is short again. */
  succeeded() {
    this.#losses = 0;
  }

  /** Sends a frame; false if there is no connection. */
  send(frame) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
    return true;
  }

  /** Closes the connection for good, until it is opened again. */
  close() {
    const socket = this.#socket;
    this.#socket = null;
    this.#timers.cancelAll();
    socket?.close(1000);
  }

  /** Gives a connection up that does not answer. */
  drop() {
    if (this.#socket) this.#drop(this.#socket);
  }

  #drop(socket) {
    socket.onclose = null;
    socket.close();
    this.#lose(socket, 1006);
  }

  #lose(socket, code) {
    if (socket !== this.#socket) return;
    this.#socket = null;
    this.#timers.cancelAll();
    if (code === 1000) return;
    const wait = WAITS[Math.min(this.#losses, WAITS.length - 1)] * (0.5 + Math.random());
    this.#losses += 1;
    this.#handlers.onLost();
    this.#timers.start("again", wait, () => this.open());
  }
}

function parse(text) {
  try {
    const frame = JSON.parse(text);
    return frame && typeof frame === "object" && typeof frame.type === "string" ? frame : null;
  } catch {
    return null;
  }
}
