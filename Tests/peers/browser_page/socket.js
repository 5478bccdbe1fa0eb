// A minimal client for the parts of Socket.IO 5 and Engine.IO 4 that a call needs, over one WebSocket.

const ENGINE = { open: "0", close: "1", ping: "2", pong: "3", message: "4" };
const SOCKET = { connect: "0", disconnect: "1", event: "2", connectError: "4" };

export class Socket {
  #webSocket;
  #handlers = new Map();

  /** Resolves once the namespace "/" is connected; rejects with the server's message if the server refuses. */
  static connect(server, query) {
    const socket = new Socket();
    const url = new URL("/socket.io/", server.replace(/^http/, "ws"));
    url.search = new URLSearchParams({ EIO: "4", transport: "websocket", ...query });
    socket.#webSocket = new WebSocket(url);
    return new Promise((resolve, reject) => {
      socket.on("connect", () => resolve(socket));
      socket.on("connect_error", (error) => reject(new Error(error?.message ?? "refused")));
      socket.#webSocket.onclose = () => {
        reject(new Error("closed"));
        socket.#dispatch("disconnect");
      };
      socket.#webSocket.onmessage = ({ data }) => socket.#receive(data);
    });
  }

  on(event, handler) {
    this.#handlers.set(event, handler);
  }

  emit(event, ...payload) {
    if (this.#webSocket.readyState !== WebSocket.OPEN) return;
    this.#webSocket.send(ENGINE.message + SOCKET.event + JSON.stringify([event, ...payload]));
  }

  close() {
    this.#webSocket.send(ENGINE.message + SOCKET.disconnect);
    this.#webSocket.close();
  }

  #receive(packet) {
    if (typeof packet !== "string") return;
    switch (packet[0]) {
      case ENGINE.open:
        return this.#webSocket.send(ENGINE.message + SOCKET.connect);
      case ENGINE.ping:
        return this.#webSocket.send(ENGINE.pong);
      case ENGINE.close:
        return this.#webSocket.close();
      case ENGINE.message:
        return this.#receiveMessage(packet[1], packet.slice(2));
    }
  }

  #receiveMessage(type, body) {
    switch (type) {
      case SOCKET.connect:
        return this.#dispatch("connect");
      case SOCKET.connectError:
        return this.#dispatch("connect_error", JSON.parse(body));
      case SOCKET.disconnect:
        return this.#webSocket.close();
      case SOCKET.event: {
        // An acknowledgement id may precede the array. It is skipped, because this client sends no acknowledgements.
        const [event, ...payload] = JSON.parse(body.slice(body.indexOf("[")));
        return this.#dispatch(event, ...payload);
      }
    }
  }

  #dispatch(event, ...payload) {
    this.#handlers.get(event)?.(...payload);
  }
}
