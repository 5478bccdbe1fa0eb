// The two transports of Engine.IO 4, which carry text packets and report once that they are closed.

const SEPARATOR = "\x1e";

/**
 * @typedef {object} TransportHandlers
 * @property {(packet: string) => void} onPacket
 * @property {() => void} onClose called once, unless `close` was called before
 */

/** A WebSocket, in which a packet is a message. */
export class WebSocketTransport {
  #socket;

  /**
   * @param {URL} url the server's http(s) URL with the query of the handshake
   * @param {TransportHandlers} handlers
   */
  constructor(url, handlers) {
    const address = new URL(url);
    address.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    address.searchParams.set("transport", "websocket");
    this.#socket = new WebSocket(address);
    // Attachments of binary events arrive as Blobs and are ignored, because a call needs none.
    this.#socket.onmessage = ({ data }) => {
      if (typeof data === "string") handlers.onPacket(data);
    };
    this.#socket.onclose = () => handlers.onClose();
  }

  /** @param {string} packet */
  send(packet) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(packet);
  }

  close() {
    this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close();
  }
}

/** Long polling, for proxies that do not support WebSocket. */
export class PollingTransport {
  #url;
  #handlers;
  #aborting = new AbortController();
  #outbox = [];
  #isPosting = false;

  /**
   * @param {URL} url the server's http(s) URL with the query of the handshake
   * @param {TransportHandlers} handlers
   */
  constructor(url, handlers) {
    this.#url = new URL(url);
    this.#url.searchParams.set("transport", "polling");
    this.#handlers = handlers;
    this.#poll();
  }

  /** @param {string} packet */
  send(packet) {
    this.#outbox.push(packet);
    this.#post();
  }

  close() {
    const rest = this.#outbox.splice(0);
    this.#handlers = null;
    this.#aborting.abort();
    if (!this.#url.searchParams.has("sid") || rest.length === 0) return;
    // keepalive sends the last packets even if the page is being closed.
    fetch(this.#url, { method: "POST", body: rest.join(SEPARATOR), keepalive: true }).catch(() => {});
  }

  async #poll() {
    try {
      while (this.#handlers) {
        const packets = (await this.#request({})).split(SEPARATOR);
        for (const packet of packets) {
          if (packet[0] === "0") this.#url.searchParams.set("sid", String(JSON.parse(packet.slice(1)).sid));
          if (packet && packet[0] !== "b") this.#handlers?.onPacket(packet);
        }
      }
    } catch {
      this.#fail();
    }
  }

  async #post() {
    if (this.#isPosting) return;
    this.#isPosting = true;
    // Packets of one turn of the event loop are sent in one request.
    await Promise.resolve();
    try {
      while (this.#handlers && this.#outbox.length > 0) {
        await this.#request({ method: "POST", body: this.#outbox.splice(0).join(SEPARATOR) });
      }
    } catch {
      this.#fail();
    }
    this.#isPosting = false;
  }

  async #request(options) {
    const response = await fetch(this.#url, { ...options, cache: "no-store", signal: this.#aborting.signal });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return response.text();
  }

  #fail() {
    const handlers = this.#handlers;
    this.#handlers = null;
    this.#aborting.abort();
    handlers?.onClose();
  }
}
