// Engine.IO 4: the handshake and the heartbeat on both transports.

import { PollingTransport, WebSocketTransport } from "./transport.js";

const PACKET = { open: "0", close: "1", ping: "2", pong: "3", message: "4" };
const OPENING_TIMEOUT_MS = 20_000;

/**
 * @typedef {object} EngineHandlers
 * @property {(transport: "websocket" | "polling") => void} onOpen
 * @property {(message: string) => void} onMessage
 * @property {(reason: string) => void} onClose called once; the reasons are those of Socket.IO
 */

/** A connection from the first request to its end, without reconnection. */
export class Engine {
  #handlers;
  #transport;
  #isOpen = false;
  #deadline;
  #patience = OPENING_TIMEOUT_MS;

  /**
   * Connects by WebSocket, or by polling if that fails.
   * @param {URL} url with the path and the query of the handshake
   * @param {EngineHandlers} handlers
   */
  constructor(url, handlers) {
    this.#handlers = handlers;
    this.#use(WebSocketTransport, url, () => this.#use(PollingTransport, url, () => this.#end("transport error")));
    this.#expectHeartbeat();
  }

  /** @param {string} message */
  send(message) {
    this.#transport.send(PACKET.message + message);
  }

  /** Sends a close packet and ends; `onClose` is not called. */
  close() {
    this.#handlers = null;
    clearTimeout(this.#deadline);
    this.#transport.send(PACKET.close);
    this.#transport.close();
  }

  #use(Transport, url, otherwise) {
    if (!this.#handlers) return;
    this.#transport = new Transport(url, {
      onPacket: (packet) => this.#receive(packet, Transport),
      onClose: () => (this.#isOpen ? this.#end("transport close") : otherwise()),
    });
  }

  #receive(packet, Transport) {
    if (!this.#handlers) return;
    const body = packet.slice(1);
    switch (packet[0]) {
      case PACKET.open:
        return this.#open(body, Transport === WebSocketTransport ? "websocket" : "polling");
      case PACKET.ping:
        this.#transport.send(PACKET.pong + body);
        return this.#expectHeartbeat();
      case PACKET.message:
        return this.#handlers.onMessage(body);
      case PACKET.close:
        return this.#end("transport close");
    }
  }

  #open(body, transport) {
    if (this.#isOpen) return this.#end("parse error");
    try {
      const { pingInterval, pingTimeout } = JSON.parse(body);
      this.#patience = Number(pingInterval) + Number(pingTimeout);
    } catch {
      this.#patience = NaN;
    }
    if (!(this.#patience > 0)) return this.#end("parse error");
    this.#isOpen = true;
    this.#expectHeartbeat();
    this.#handlers.onOpen(transport);
  }

  #expectHeartbeat() {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#end("ping timeout"), this.#patience);
  }

  #end(reason) {
    const handlers = this.#handlers;
    this.#handlers = null;
    clearTimeout(this.#deadline);
    this.#transport.close();
    handlers?.onClose(reason);
  }
}
