// A caller or callee with the protocol of the original server. It reports events to the test with
// `window.report(event, fields)`, and the test controls it through `window.peer`.

import { Connection } from "./connection.js";
import { Socket } from "./socket.js";

const SILENCE_BEFORE_BLIND_OFFER = 500;

class Peer {
  #options;
  #socket;
  #stream;
  /** The microphone track, if it is added only during the call. */
  #sound;
  #connection;
  #busy = Promise.resolve();

  async start(options) {
    this.#options = options;
    const { width, height, fps: frameRate } = options.capture;
    this.#stream = await navigator.mediaDevices.getUserMedia({
      video: { width, height, frameRate },
      audio: true,
    });
    document.querySelector("#local").srcObject = this.#stream;
    if (options.soundLater) {
      [this.#sound] = this.#stream.getAudioTracks();
      this.#stream.removeTrack(this.#sound);
    }
    const { server, room, name, caller } = options;
    this.#socket = await Socket.connect(server, { roomId: room, username: name, isCaller: caller });
    const role = caller ? "caller" : "callee";
    window.report("room.joined", { username: name, role });
    this.#listen();
    if (caller) setTimeout(() => this.#connection ?? this.#offer(), SILENCE_BEFORE_BLIND_OFFER);
  }

  async end(reason) {
    if (!this.#connection) return;
    const received = await this.#connection.statistics();
    this.#connection.close();
    this.#connection = undefined;
    window.report("call.ended", { reason, received });
  }

  async leave() {
    await this.end("hung-up");
    this.#socket.close();
  }

  /** Sends a new offer on the existing connection. */
  async addSound() {
    this.#describe("offer", await this.#connection.offerAlso(this.#sound));
  }

  scaleDown(factor) {
    return this.#connection.scaleDown(factor);
  }

  sendPreferredCodec() {
    return this.#connection.sendPreferredCodec();
  }

  statistics() {
    return this.#connection?.statistics();
  }

  #listen() {
    this.#on("room_user_joined", async (someone) => {
      const calls = ["true", "1"].includes(String(someone.isCaller).toLowerCase());
      if (calls === this.#options.caller) return;
      window.report("peer.joined", { username: someone.username });
      if (this.#options.caller) await this.#offer();
    });
    this.#on("offer", async ({ sdp }) => {
      if (this.#options.caller) return;
      window.report("sdp.received", { type: "offer", bytes: sdp.length });
      this.#begin();
      this.#describe("answer", await this.#connection.answer(sdp));
    });
    this.#on("answer", async ({ sdp }) => {
      window.report("sdp.received", { type: "answer", bytes: sdp.length });
      await this.#connection?.accept(sdp);
    });
    this.#on("candidate", (candidate) => this.#connection?.add(candidate));
    this.#on("room_user_left", () => this.end("peer-left"));
    this.#on("hangup", () => this.end("peer-left"));
    this.#on("disconnect", () => this.end("disconnect"));
  }

  /** Runs handlers one after the other, so that no candidate overtakes its session description. */
  #on(event, handler) {
    this.#socket.on(event, (payload) => {
      this.#busy = this.#busy
        .then(() => handler(payload))
        .catch((error) => window.report("error", { during: event, message: String(error) }));
    });
  }

  async #offer() {
    this.#begin();
    this.#describe("offer", await this.#connection.offer());
  }

  #begin() {
    this.#connection?.close();
    window.report("call.started", { role: this.#options.caller ? "caller" : "callee" });
    this.#connection = new Connection({
      stream: this.#stream,
      codec: this.#options.codec,
      parameters: this.#options.parameters,
      onlyPrefers: this.#options.onlyPrefers,
      onCandidate: (candidate) => this.#socket.emit("candidate", candidate),
      onConnected: () => window.report("media.connected", {}),
      onFailed: () => window.report("error", { message: "the peer connection failed" }),
      onTrack: (stream) => this.#show(stream),
      onChannel: this.#options.data && (() => window.report("channel.open", {})),
    });
  }

  #describe(type, sdp) {
    window.report("sdp.sent", { type, bytes: sdp.length });
    this.#socket.emit(type, { type, sdp });
  }

  #show(stream) {
    const video = document.querySelector("#remote");
    if (video.srcObject === stream) return;
    video.srcObject = stream;
    video.requestVideoFrameCallback(() => window.report("media.first_frame", { kind: "video" }));
  }
}

window.peer = new Peer();
