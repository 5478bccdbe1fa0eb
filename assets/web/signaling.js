// A session in a room: its participants and the messages of the call. Depends neither on media nor on the page.

import { Socket } from "./socket.js";

const SILENCE_MS = 500;
const MOST_PARTICIPANTS = 256;
const LONGEST_NAME = 256;

/** The messages that peers send each other. */
const MESSAGES = new Set(["offer", "answer", "candidate", "ringing", "hangup", "media_state"]);

/** Messages that an `answer` without `sdp` may carry as `event`, because servers like the seed's do not relay them. */
const WRAPPED = new Set(["ringing", "hangup"]);

/** @typedef {"caller" | "callee"} Role */

/**
 * @typedef {object} Participant
 * @property {string} name
 * @property {Role | null} role null if the server does not send it
 */

/**
 * An event of a room, by its `type`:
 * - `connected`, `disconnected` {retryIn}, `unreachable` {retryIn}, `refused` {message, data}: our own socket
 * - `told`: the server has sent the participants; `silent`: it sends none, so that the peer may be in the room
 * - `appeared`, `again`, `left`, `missing` {participant}: `again` is a second socket of the same name and role,
 *   `missing` left while we were not connected
 * - `message` {name, payload, sender}: from a peer; `sender` may be missing
 * @typedef {{type: string, [field: string]: any}} RoomEvent
 */

/** A room according to the messages of the server. */
export class Room {
  /** @type {Role} */
  role;
  /** Our own name, as the server announces it to others. */
  name;
  /** Whether the server has sent the participants since we last connected. */
  isTold = false;
  /** Whether the server sends no participants to new members. */
  isSilent = false;
  /** @type {RTCIceServer[]} */
  iceServers = [];
  #members = [];
  /** Whether the server sends the participants, and hence relays more than descriptions and candidates. */
  #isServerTelling = false;
  /** Whether the peer has declared that it reads events inside an `answer`, or has sent one. */
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

  /** @returns {Participant[]} the other participants in the order in which they joined */
  get participants() {
    return this.#members.map(({ participant }) => participant);
  }

  /** The first participant that may be called: of the opposite or of unknown role. */
  get peer() {
    return this.participants.find(({ role }) => role !== this.role);
  }

  /** A participant of our own role, who cannot be called. */
  get rival() {
    return this.participants.find(({ role }) => role === this.role);
  }

  /** Whether the room is known to have no participant to call. */
  get isPeerAbsent() {
    return this.isTold && !this.peer;
  }

  /** Returns a participant of that name who may be our peer. */
  opposite(name) {
    return this.participants.find((participant) => participant.name === name && participant.role !== this.role);
  }

  /** Sends a message to the others in the room. */
  emit(name, payload) {
    // A candidate has the ufrag of its description instead of a sender.
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
    // Ignores messages to other participants.
    if (typeof payload?.to === "string" && readName(payload.to) !== this.name) return;
    if (name === "answer" && payload && payload.sdp === undefined && typeof payload.event === "string") {
      // A callee that declines has sent no description that would declare it.
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

  /** Removes a participant, unless it has rejoined with another socket before this one timed out. */
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
    const announce = (type, some, others) => {
      for (const { participant } of some) {
        if (!others.some((other) => isSame(other.participant, participant))) this.#handle({ type, participant });
      }
    };
    announce("appeared", [...this.#members], before);
    announce("missing", before, [...this.#members]);
  }

  #find(participant) {
    return this.#members.find((member) => isSame(member.participant, participant));
  }

  /** Finds a member by name if the role is unknown on either side; one who may be our peer takes precedence. */
  #namesake({ name, role }) {
    const bearers = this.#members.filter(({ participant }) => participant.name === name);
    if (role) return bearers.find(({ participant }) => participant.role === null);
    return bearers.find(({ participant }) => participant.role !== this.role) ?? bearers[0];
  }
}

function isSame(one, other) {
  return one.name === other.name && one.role === other.role;
}

/** Normalizes a name for comparison; empty if it is not a string. */
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

/** @returns {RTCIceServer[]} the servers that a browser accepts */
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
