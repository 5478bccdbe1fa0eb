// Socket.IO 5 in the namespace "/": connecting, events without binary data, and reconnecting.

import { Engine } from "./engine.js";

const PACKET = { connect: "0", disconnect: "1", event: "2", connectError: "4", binaryEvent: "5" };
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 5000;
const MOST_BUFFERED = 256;

/**
 * @typedef {object} SocketHandlers
 * @property {(transport: string) => void} onConnect
 * @property {(name: string, payload: unknown) => void} onEvent the first argument only
 * @property {(reason: string, retryInMs: number) => void} onDisconnect the connection is lost; it reconnects
 * @property {(message: string, data: unknown) => void} onRefused CONNECT_ERROR; it does not reconnect
 * @property {(retryInMs: number) => void} onUnreachable an attempt to connect has failed
 */

/** A client that connects, and reconnects whenever the connection is lost. */
export class Socket {
  #url;
  #auth;
  #handlers;
  #engine;
  #isConnected = false;
  #attempts = 0;
  #retry;
  #buffer = [];

  /**
   * @param {{server: string, query: Record<string, string>, auth: object}} target
   * @param {SocketHandlers} handlers
   */
  constructor({ server, query, auth }, handlers) {
    this.#url = new URL("/socket.io/", server);
    this.#url.search = new URLSearchParams({ EIO: "4", ...query }).toString();
    this.#auth = auth;
    this.#handlers = handlers;
    this.#connect();
  }

  get isConnected() {
    return this.#isConnected;
  }

  /** Sends an event, after reconnecting if the connection is lost. */
  emit(name, payload) {
    const packet = PACKET.event + JSON.stringify([name, payload]);
    if (this.#isConnected) this.#engine.send(packet);
    else if (this.#buffer.length < MOST_BUFFERED) this.#buffer.push(packet);
  }

  /** Drops the events that wait for the connection, because they are obsolete. */
  discardBuffer() {
    this.#buffer = [];
  }

  /** Leaves the namespace and ends; no handler is called afterwards. */
  close() {
    this.#handlers = null;
    clearTimeout(this.#retry);
    if (this.#isConnected) this.#engine.send(PACKET.disconnect);
    this.#isConnected = false;
    this.#engine?.close();
    this.#engine = undefined;
  }

  #connect() {
    this.#engine = new Engine(this.#url, {
      onOpen: (transport) => {
        this.#transport = transport;
        this.#engine.send(PACKET.connect + JSON.stringify(this.#auth));
      },
      onMessage: (message) => this.#receive(message),
      onClose: (reason) => this.#lost(reason),
    });
  }

  #transport;

  #receive(message) {
    const body = message.slice(1);
    // Ignores packets of other namespaces.
    if (body[0] === "/") return;
    try {
      switch (message[0]) {
        case PACKET.connect:
          return this.#connected();
        case PACKET.event:
          return this.#event(JSON.parse(body.replace(/^\d+/, "")));
        case PACKET.connectError:
          return this.#refused(JSON.parse(body));
        case PACKET.disconnect:
          this.#engine.close();
          return this.#lost("io server disconnect");
      }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#engine.close();
      this.#lost("parse error");
    }
  }

  #connected() {
    this.#isConnected = true;
    this.#attempts = 0;
    this.#handlers?.onConnect(this.#transport);
    for (const packet of this.#buffer.splice(0)) this.#engine.send(packet);
  }

  #event(data) {
    if (Array.isArray(data) && typeof data[0] === "string") this.#handlers?.onEvent(data[0], data[1]);
  }

  #refused(error) {
    const handlers = this.#handlers;
    this.close();
    handlers?.onRefused(String(error?.message ?? ""), error?.data);
  }

  #lost(reason) {
    if (!this.#handlers) return;
    this.#engine = undefined;
    const wait = this.#nextDelay();
    this.#retry = setTimeout(() => this.#connect(), wait);
    const wasConnected = this.#isConnected;
    this.#isConnected = false;
    if (wasConnected) this.#handlers.onDisconnect(reason, wait);
    else this.#handlers.onUnreachable(wait);
  }

  /** Returns a delay that doubles from one second to five, randomized by ± 50 %, as in the official client. */
  #nextDelay() {
    const delay = FIRST_DELAY_MS * 2 ** Math.min(this.#attempts++, 10);
    const deviation = delay * 0.5 * (2 * Math.random() - 1);
    return Math.min(delay + deviation, LONGEST_DELAY_MS);
  }
}
