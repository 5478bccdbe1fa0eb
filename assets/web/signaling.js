// A stay in a room: who is there, and the messages of the call. Knows nothing of media or of the page.

import { Socket } from "./socket.js";

const SILENCE_MS = 500;
const MOST_PARTICIPANTS = 256;
const LONGEST_NAME = 256;

/** The messages that peers send each other. */
const MESSAGES = new Set(["offer", "answer", "candidate", "ringing", "hangup", "media_state"]);

/** Those that may also come inside an `answer` without `sdp`, as `event`: servers of the seed's kind pass on no others. */
const WRAPPED = new Set(["ringing", "hangup"]);

/** @typedef {"caller" | "callee"} Role */

/**
 * @typedef {object} Participant
 * @property {string} name
 * @property {Role | null} role null where the server does not tell
 */

/**
 * What happens in a room, by its `type`:
 * - `connected`, `disconnected` {retryIn}, `unreachable` {retryIn}, `refused` {message, data}: our own socket
 * - `told`: the server has said who is here; `silent`: it says nothing, so somebody may be
 * - `appeared`, `again`, `left`, `missing` {participant}: `again` is a second socket of the same name and role,
 *   `missing` went while we were not connected
 * - `message` {name, payload, sender}: from a peer, which may not say who it is
 * @typedef {{type: string, [field: string]: any}} RoomEvent
 */

/** The room as far as the server tells of it. */
export class Room {
  /** @type {Role} */
  role;
  /** Our own name, as the server tells it to others. */
  name;
  /** Whether the server has told who is here since we last connected. */
  isTold = false;
  /** Whether the server tells newcomers nothing. */
  isSilent = false;
  /** @type {RTCIceServer[]} */
  iceServers = [];
  #members = [];
  /** Whether the server tells newcomers who is here, and so passes on more than descriptions and candidates. */
  #isServerTelling = false;
  /** Whether the peer has said that it reads events inside an `answer`, or has sent one there. */
  #isPeerReading = false;
  #socket;
  #handle;
  #silence;

  /**
   * @param {{server: string, room: string, name: string, role: Role, token?: string}} identity
   * @param {(event: RoomEvent) => void} handle
   */
  constructor({ server, room, name, role, token }, handle) {
    this.role = role;
    this.name = readName(name);
    this.#handle = handle;
    const query = { roomId: room, username: name, isCaller: String(role === "caller") };
    // The key proves to the server that a new socket is the same page as the lost one.
    const auth = { key: randomKey(), ...(token && { token }) };
    this.#socket = new Socket({ server, query, auth }, {
      onConnect: (transport) => this.#connected(transport),
      onEvent: (name, payload) => this.#receive(name, payload),
      onDisconnect: (reason, retryIn) => this.#disconnected(reason, retryIn),
      onUnreachable: (retryIn) => handle({ type: "unreachable", retryIn }),
      onRefused: (message, data) => handle({ type: "refused", message, data }),
    });
  }

  get isConnected() {
    return this.#socket.isConnected;
  }

  /** @returns {Participant[]} everybody else, in the order in which they came */
  get participants() {
    return this.#members.map(({ participant }) => participant);
  }

  /** The first who may be called: of the opposite role, or of one that the server does not tell. */
  get peer() {
    return this.participants.find(({ role }) => role !== this.role);
  }

  /** Somebody of our own role, who cannot be called. */
  get rival() {
    return this.participants.find(({ role }) => role === this.role);
  }

  /** Whether it is known that there is nobody to call. */
  get isPeerAbsent() {
    return this.isTold && !this.peer;
  }

  /** One who may be our peer and bears that name. */
  opposite(name) {
    return this.participants.find((participant) => participant.name === name && participant.role !== this.role);
  }

  /** Sends a message to the others in the room. */
  emit(name, payload) {
    // A candidate bears the ufrag of its description instead.
    if (name === "candidate") return this.#socket.emit(name, payload);
    const message = { ...payload, from: this.name, ...(payload.sdp && { wraps: true }) };
    this.#socket.emit(name, message);
    const isWrapping = !this.#isServerTelling && this.#isPeerReading;
    if (isWrapping && WRAPPED.has(name)) this.#socket.emit("answer", { ...message, event: name });
  }

  discardBuffer() {
    this.#socket.discardBuffer();
  }

  leave() {
    clearTimeout(this.#silence);
    this.#socket.close();
  }

  #connected(transport) {
    this.isTold = false;
    this.isSilent = false;
    this.#handle({ type: "connected", transport });
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      this.isSilent = !this.isTold;
      this.#isServerTelling = this.isTold;
      if (this.isSilent) this.#handle({ type: "silent" });
    }, SILENCE_MS);
  }

  #disconnected(reason, retryIn) {
    clearTimeout(this.#silence);
    this.#handle({ type: "disconnected", reason, retryIn });
  }

  #receive(name, payload) {
    if (MESSAGES.has(name)) return this.#takeMessage(name, payload);
    switch (name) {
      case "room_user_joined":
        return this.#join(readParticipant(payload));
      case "room_user_left":
        return this.#leave(readParticipant(payload));
      case "room_state":
        return this.#replace(payload?.peers);
      case "ice_servers":
        this.iceServers = readIceServers(payload?.iceServers);
    }
  }

  #takeMessage(name, payload) {
    // What a peer says to another one in the room.
    if (typeof payload?.to === "string" && readName(payload.to) !== this.name) return;
    if (name === "answer" && payload && payload.sdp === undefined && typeof payload.event === "string") {
      // Whoever declines has sent no description, and waits for our answer.
      this.#isPeerReading = true;
      if (!WRAPPED.has(payload.event)) return;
      name = payload.event;
    }
    if (payload?.sdp !== undefined) this.#isPeerReading = payload.wraps === true;
    this.#handle({ type: "message", name, payload, sender: readName(payload?.from) || undefined });
  }

  #join(participant) {
    if (!participant) return;
    const known = this.#find(participant);
    if (known) {
      known.sockets += 1;
      return this.#handle({ type: "again", participant });
    }
    if (this.#members.length >= MOST_PARTICIPANTS) return;
    this.#members.push({ participant, sockets: 1 });
    this.#handle({ type: "appeared", participant });
  }

  /** One that came back before its old socket timed out is here twice: the late leaving of the old is none. */
  #leave(participant) {
    if (!participant) return;
    this.isSilent = false;
    const member = this.#find(participant) ?? this.#namesake(participant);
    if (!member) return this.#handle({ type: "left", participant });
    member.sockets -= 1;
    if (member.sockets > 0) return;
    this.#members.splice(this.#members.indexOf(member), 1);
    this.#handle({ type: "left", participant: member.participant });
  }

  #replace(peers) {
    const before = this.#members;
    this.#members = [];
    this.isTold = true;
    this.isSilent = false;
    this.#isServerTelling = true;
    for (const peer of Array.isArray(peers) ? peers.slice(0, MOST_PARTICIPANTS) : []) {
      const participant = readParticipant(peer);
      if (!participant) continue;
      const known = this.#find(participant);
      if (known) known.sockets += 1;
      else this.#members.push({ participant, sockets: 1 });
    }
    this.#handle({ type: "told" });
    const news = (type, some, others) => {
      for (const { participant } of some) {
        if (!others.some((other) => isSame(other.participant, participant))) this.#handle({ type, participant });
      }
    };
    news("appeared", [...this.#members], before);
    news("missing", before, [...this.#members]);
  }

  #find(participant) {
    return this.#members.find((member) => isSame(member.participant, participant));
  }

  /** Where one of both sides does not tell the role; one who may be our peer is meant first. */
  #namesake({ name, role }) {
    const bearers = this.#members.filter(({ participant }) => participant.name === name);
    if (role) return bearers.find(({ participant }) => participant.role === null);
    return bearers.find(({ participant }) => participant.role !== this.role) ?? bearers[0];
  }
}

function isSame(one, other) {
  return one.name === other.name && one.role === other.role;
}

/** In one form, however it is written, so that names can be compared; empty where it is no name. */
function readName(name) {
  return typeof name === "string" ? name.normalize("NFC").trim().slice(0, LONGEST_NAME) : "";
}

/** @returns {Participant | null} */
function readParticipant(payload) {
  if (typeof payload !== "object" || payload === null) return null;
  const { username, isCaller } = payload;
  const told = { true: "caller", 1: "caller", false: "callee", 0: "callee" };
  return {
    name: readName(username),
    role: told[String(isCaller).toLowerCase()] ?? null,
  };
}

/** @returns {RTCIceServer[]} those that a browser would accept */
function readIceServers(servers) {
  if (!Array.isArray(servers)) return [];
  return servers.slice(0, 16).flatMap((server) => {
    const urls = [server?.urls ?? []].flat().filter((url) => /^(stun|turn)s?:/.test(url));
    if (urls.length === 0) return [];
    const { username, credential } = server;
    return [{ urls, ...(typeof credential === "string" && { username: String(username), credential }) }];
  });
}

function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  return btoa(String.fromCharCode(...bytes));
}
