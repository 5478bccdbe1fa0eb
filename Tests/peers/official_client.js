// One side of the signaling of a call with the official JavaScript client. official_client.py does the same.

(() => {
  const CANDIDATES = 3;
  const PATIENCE = 30_000;

  const readable = (argument) =>
    argument instanceof ArrayBuffer || ArrayBuffer.isView(argument) ? { bytes: hex(new Uint8Array(argument)) } : argument;
  const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const bytes = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));

  class Side {
    constructor(plan) {
      this.plan = plan;
      this.heard = {};
      this.waiting = [];
    }

    hear(event, ...parameters) {
      const acknowledge = typeof parameters.at(-1) === "function" ? parameters.pop() : null;
      (this.heard[event] ??= []).push(parameters.map(readable));
      if (acknowledge) acknowledge(new Uint8Array(parameters[0]).reverse(), parameters.length);
      this.waiting = this.waiting.filter((check) => !check());
    }

    waitFor(event, count = 1) {
      const isHere = () => (this.heard[event]?.length ?? 0) >= count;
      if (isHere()) return Promise.resolve();
      return new Promise((resolve, reject) => {
        this.waiting.push(() => isHere() && (resolve(), true));
        setTimeout(() => reject(new Error(`no ${event} among ${JSON.stringify(this.heard).slice(0, 500)}`)), PATIENCE);
      });
    }

    async hold() {
      const { server, by, transports, protocols, roomId, username, isCaller } = this.plan;
      const person = { roomId, username, isCaller };
      this.socket = io(server, {
        forceNew: true,
        reconnection: false,
        ...(by === "auth" ? { auth: person } : { query: person }),
        ...(transports && { transports }),
        ...(protocols && { protocols }),
      });
      // The handler is added at once, because events may arrive before the promise below continues.
      this.socket.onAny((...all) => this.hear(...all));
      this.firstTransport = this.socket.io.engine?.transport.name;
      const upgraded = new Promise((resolve) => this.socket.io.engine.on("upgrade", resolve));
      const refusal = await new Promise((resolve) => {
        this.socket.on("connect", () => resolve(null));
        this.socket.on("connect_error", ({ message, data }) => resolve({ message, ...(data && { data }) }));
      });
      if (refusal) return { refusal };
      await this.waitFor("room_state");
      await this.waitFor("room_user_joined");
      const acknowledged = await (isCaller ? this.call() : this.answer());
      if (!transports) await upgraded;
      const transport = this.socket.io.engine.transport.name;
      const protocol = this.socket.io.engine.transport.ws?.protocol;
      if (isCaller) await this.end();
      this.socket.disconnect();
      return { heard: this.heard, acknowledged, transport, firstTransport: this.firstTransport, protocol };
    }

    async call() {
      this.socket.emit("offer", { type: "offer", sdp: this.plan.sdp });
      await this.waitFor("answer");
      return this.exchange();
    }

    async end() {
      this.socket.emit("hangup", { offer: "ufrag" });
      await this.waitFor("hangup");
    }

    async answer() {
      await this.waitFor("offer");
      this.socket.emit("answer", { type: "answer", sdp: this.plan.sdp, offer: "ufrag" });
      const acknowledged = await this.exchange();
      await this.waitFor("hangup");
      this.socket.emit("hangup", { offer: "ufrag" });
      await this.waitFor("room_user_left");
      return acknowledged;
    }

    async exchange() {
      for (let number = 0; number < CANDIDATES; number++) {
        const candidate = `candidate:${number} 1 udp 1 10.0.0.1 9 typ host`;
        this.socket.emit("candidate", { candidate, sdpMid: "0", sdpMLineIndex: 0 });
      }
      const { file, username } = this.plan;
      const acknowledged = await new Promise((resolve, reject) =>
        this.socket.timeout(PATIENCE).emit("file", bytes(file), { name: username }, (failure, ...all) =>
          failure ? reject(failure) : resolve(all)));
      await this.waitFor("candidate", CANDIDATES);
      await this.waitFor("file");
      return acknowledged.map(readable);
    }
  }

  window.hold = (plan) => new Side(plan).hold();
})();
