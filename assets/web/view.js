// The view of the page: shows the state of the call, and reports the actions of the user.

import * as strings from "./strings.js";

const { text } = strings;
const element = (id) => document.getElementById(id);

/** States of a call before it is connected. */
const CALLING = new Set(["offering", "awaiting-answer", "ringing", "answering", "connecting", "retrying"]);

/** States in which the peer has no tracks yet; they arrive before "connecting". */
const BEGINNING = new Set(["offering", "answering", "retrying"]);

/**
 * @typedef {object} ViewHandlers
 * @property {(choice: {name: string, room: string, role: string, camera: string | null, microphone: string | null}) =>
 *   void} onJoin the devices: an id, "" for any, null for none
 * @property {() => void} onHangUp
 * @property {() => void} onSwitchRole
 * @property {(isMuted: boolean) => void} onMute
 * @property {(isOff: boolean) => void} onCameraOff
 */

/** The two screens of the page: the form and the call. */
export class View {
  #received = new MediaStream();
  #server = "";
  #state = "";
  /** @type {import("./media-state.js").MediaState | null} */
  #peerMedia = null;
  #hasPicture = false;
  #isChat = false;
  #isInRoom = false;
  /** The title of the page while nobody rings. */
  #title = "callrunner";
  #ring = "";

  /** @param {ViewHandlers} handlers */
  constructor(handlers) {
    strings.translate(document);
    element("form").addEventListener("submit", (event) => {
      event.preventDefault();
      const choice = this.#readForm();
      if (choice) handlers.onJoin(choice);
    });
    // A key that was already held when the page was opened was meant for another page.
    element("form").addEventListener("keydown", (event) => {
      const isPress = event.key === "Enter" || (event.key === " " && event.target.closest("button"));
      if (event.repeat && isPress) event.preventDefault();
    });
    element("hang-up").addEventListener("click", handlers.onHangUp);
    element("switch").addEventListener("click", handlers.onSwitchRole);
    this.#toggle("mute", ["call.mute", "call.unmute"], handlers.onMute);
    this.#toggle("camera-off", ["call.cameraOff", "call.cameraOn"], (isOff) => {
      element("local").classList.toggle("off", isOff);
      handlers.onCameraOff(isOff);
    });
    element("play").addEventListener("click", () => this.#play());
    for (const id of ["room", "name"]) element(id).addEventListener("input", () => this.#complain(id, ""));
    element("form").addEventListener("input", () => this.#showCommand());
  }

  /**
   * Shows the chat, or the call with its form.
   * @param {boolean} isChat
   * @param {boolean} isInRoom whether the call is shown rather than the form
   */
  showPart(isChat, isInRoom) {
    this.#isChat = isChat;
    element("chat").hidden = !isChat;
    element("join").hidden = isChat || isInRoom;
    element("call").hidden = isChat || !isInRoom;
    for (const [id, isShown] of [["to-chat", isChat], ["to-call", !isChat]]) {
      if (isShown) element(id).setAttribute("aria-current", "page");
      else element(id).removeAttribute("aria-current");
    }
  }

  // The form

  /** @param {{name: string, room: string, role: string, server: string}} choice */
  fillForm({ name, room, role, server }) {
    this.#server = server;
    element("name").value = name;
    element("room").value = room;
    document.querySelector(`[name=role][value=${role === "caller" ? "caller" : "callee"}]`).checked = true;
    this.#showCommand();
    // Enabled only now, because without this script a click would send the form to the server.
    element("submit").disabled = false;
    (name ? element("submit") : element("name")).focus();
  }

  /**
   * Offers to join without sending, explains why, and links to the page over https.
   * @param {(target: "_self" | "_blank") => void} onFollow opens the page over https, here or in a new tab
   */
  showInsecure(link, onFollow) {
    const anchor = element("secure-link");
    element("insecure").hidden = false;
    anchor.href = anchor.textContent = link;
    anchor.onclick = anchor.onauxclick = (event) => {
      // The right button opens the context menu.
      if (event.button === 2) return;
      event.preventDefault();
      onFollow(event.button === 1 || event.ctrlKey || event.metaKey || event.shiftKey ? "_blank" : "_self");
    };
    for (const field of document.querySelectorAll(".device")) field.hidden = true;
    element("submit").textContent = text("join.receive");
  }

  /** @param {Record<"video" | "audio", {id: string, label: string}[]>} devices */
  showDevices(devices) {
    for (const [id, kind] of [["camera", "video"], ["microphone", "audio"]]) {
      const select = element(id);
      const chosen = select.value;
      const named = devices[kind].map((device, index) =>
        new Option(device.label || text(`join.${id}.numbered`, { number: index + 1 }), device.id));
      const any = new Option(text(`join.${id}.any`), "");
      select.replaceChildren(any, ...named, new Option(text(`join.${id}.none`), "none"));
      if ([...select.options].some(({ value }) => value === chosen)) select.value = chosen;
    }
  }

  /** Returns to the form with the reason. */
  showForm(why) {
    element("call").hidden = true;
    element("join").hidden = this.#isChat;
    element("status").textContent = why;
    element("where").textContent = "";
    this.#isInRoom = false;
    this.#entitle("callrunner");
    this.#clear();
    this.#focusStatus();
  }

  // The call

  /**
   * Shows a room, or the name of the person for whose call it is joined.
   * @param {{room: string, visited?: string, stream?: MediaStream}} call
   */
  showCall({ room, visited, stream }) {
    element("join").hidden = true;
    element("call").hidden = this.#isChat;
    const where = visited ?? text("call.where", { room });
    element("where").textContent = where;
    element("where").dataset.room = room;
    this.#isInRoom = true;
    this.#entitle(`${where} · callrunner`);
    const tracks = (kind) => stream?.getTracks().some((track) => track.kind === kind) ?? false;
    element("mute").hidden = !tracks("audio");
    element("camera-off").hidden = !tracks("video");
    element("local").hidden = !tracks("video");
    element("local").srcObject = tracks("video") ? stream : null;
    // Not a button, because the key that pressed Join may still be down.
    this.#focusStatus();
  }

  /** The state of the buttons of microphone and camera. */
  get switches() {
    const isOn = (id) => element(id).getAttribute("aria-pressed") === "true";
    return { isMuted: isOn("mute"), isCameraOff: isOn("camera-off") };
  }

  set switches({ isMuted, isCameraOff }) {
    this.#press(element("mute"), isMuted, isMuted ? "call.unmute" : "call.mute");
    this.#press(element("camera-off"), isCameraOff, isCameraOff ? "call.cameraOn" : "call.cameraOff");
    element("local").classList.toggle("off", isCameraOff);
  }

  /**
   * @param {import("./call.js").Progress} progress
   * @param {{me: {name: string, role: string}, others: import("./signaling.js").Participant[], peer?: string,
   *   rival?: string}} people
   */
  showProgress({ state, reason }, { me, others, peer, rival }) {
    const name = (state === "rival" ? rival : peer) || text("call.nameless");
    this.#say(text(this.#sentence(state, me.role, peer), { name, reason: reason ? text(`why.${reason}`) : "" }));
    this.#showPeople(me, others);
    const isCall = CALLING.has(state) || state === "connected";
    element("hang-up").querySelector("span").textContent = text(isCall ? "call.hangUp" : "call.leave");
    element("switch").hidden = state !== "rival";
    element("nobody").classList.toggle("calling", CALLING.has(state));
    element("nobody").firstElementChild.textContent = peer ? [...peer][0].toUpperCase() : "?";
    element("nobody").querySelector("strong").textContent = peer ?? "";
    element("peer").textContent = peer ?? "";
    element("peer").hidden = !peer || state !== "connected";
    element("remote").setAttribute("aria-label", peer ? text("call.remote", { name }) : text("call.remote.none"));
    // A repeated state must not clear media that has arrived meanwhile.
    if (state !== this.#state && BEGINNING.has(state)) this.#clearRemote();
    this.#state = state;
  }

  showTrack(track) {
    for (const old of this.#received.getTracks()) if (old.kind === track.kind) this.#received.removeTrack(old);
    this.#received.addTrack(track);
    if (element("remote").srcObject !== this.#received) element("remote").srcObject = this.#received;
    this.#play();
  }

  /** @param {import("./statistics.js").Figures | null} figures */
  showFigures(figures) {
    element("statistics").hidden = !figures;
    if (!figures) return this.#clearRemote();
    this.#hasPicture = figures.videoIn.frames > 0;
    this.#showCard();
    const { videoIn, audioIn, bitrateOut, lost, rttMs, hasRates } = figures;
    // The browser keeps the figures of the last frame.
    const isSent = this.#peerMedia === null || (this.#peerMedia.video && !this.#peerMedia.holding);
    const rows = [
      ["in", hasRates ? bitrate(videoIn.bitrate + audioIn.bitrate) : "–"],
      videoIn.frames > 0 && isSent && ["size", `${videoIn.width}×${videoIn.height} ${unit("fps", videoIn.fps)}`],
      ["out", hasRates ? bitrate(bitrateOut) : "–"],
      ["lost", strings.number(lost)],
      rttMs !== null && ["rtt", unit("ms", rttMs, rttMs < 10 ? 1 : 0)],
      ["codec", [videoIn.codec, audioIn.codec].filter(Boolean).join(" + ") || "–"],
    ];
    element("statistics").replaceChildren(...rows.filter(Boolean).map(([key, value]) => row(text(`figure.${key}`), value)));
  }

  /** @param {import("./media-state.js").MediaState | null} state the peer's state; null if it sends none */
  showPeerMedia(state) {
    this.#peerMedia = state;
    const signs = state
      ? [state.recording && "recording", !state.audio && "muted", !state.video && "camera-off", state.holding && "holding"]
      : [];
    element("peer-signs").replaceChildren(...signs.filter(Boolean).map((sign) => {
      const item = document.createElement("li");
      item.className = sign;
      const icon = { muted: "mute", "camera-off": "camera-off" }[sign];
      item.append(...(icon ? [element(icon).querySelector("svg").cloneNode(true)] : []), text(`peer.${sign}`));
      return item;
    }));
    this.#showCard();
  }

  /** Shows the peer's name instead of video that is missing or stopped. */
  #showCard() {
    const state = this.#peerMedia;
    const why = state?.holding ? "holding" : state && !state.video ? "camera-off" : "";
    element("nobody").hidden = this.#hasPicture && !why;
    element("nobody").classList.toggle("card", why !== "");
    element("nobody").querySelector("p").textContent = why && text(`peer.${why}`);
  }

  /** @param {import("./media.js").Problem[]} problems the devices that cannot be used */
  showProblems(problems) {
    element("problems").hidden = problems.length === 0;
    element("problems").replaceChildren(...problems.map(({ kind, why, detail }) => {
      const item = document.createElement("li");
      item.textContent = text(`problem.${kind}.${why}`, { detail });
      return item;
    }));
  }

  /** The devices that are selected in the form: an id, "" for any, null for none. */
  get devices() {
    const form = element("form").elements;
    const device = (id) => (form[id].value === "none" || element("insecure").hidden === false ? null : form[id].value);
    return { camera: device("camera"), microphone: device("microphone") };
  }

  /** Tells something that has happened, whatever is shown; below the state of a call, which stays. */
  tell(sentence) {
    if (this.#isInRoom) element("told").textContent = sentence;
    else this.#say(sentence);
  }

  /** Removes the sentence below the state of a call. */
  forgetTold() {
    element("told").textContent = "";
  }

  /** Shows in the title of the page that somebody rings; an empty title if nobody does. */
  showRing(title) {
    this.#ring = title;
    this.#entitle(this.#title);
  }

  #entitle(title) {
    this.#title = title;
    document.title = this.#ring ? `${this.#ring} · callrunner` : title;
  }

  /** Moves the focus to the status, unless somebody is in the chat, where the focus is in use. */
  #focusStatus() {
    if (!this.#isChat) element("status").focus();
  }

  #readForm() {
    const form = element("form").elements;
    const name = form.name.value.trim();
    const room = form.room.value.trim();
    const isNamed = [...name].length > 0 && [...name].length <= 64 && !/\p{Cc}/u.test(name);
    const isRoom = isRoomNumber(room);
    this.#complain("name", isNamed ? "" : text("invalid.name"));
    this.#complain("room", isRoom ? "" : text("invalid.room"));
    if (!isNamed || !isRoom) return element(isNamed ? "room" : "name").focus();
    return { name, room: String(Number(room)), role: form.role.value, ...this.devices };
  }

  #complain(id, why) {
    element(`${id}-error`).textContent = why;
    element(id).setAttribute("aria-invalid", String(why !== ""));
  }

  #showCommand() {
    const { room, role } = element("form").elements;
    const other = role.value === "caller" ? "" : " --caller";
    const server = this.#server === "http://127.0.0.1:3000" ? "" : ` --server ${this.#server}`;
    element("command").textContent = `callrunner --room ${isRoomNumber(room.value.trim()) ? room.value.trim() : 1}${other}${server}`;
  }

  #sentence(state, role, peer) {
    if (state === "waiting") return role === "callee" && peer ? "state.waiting.call" : `state.waiting.${role}`;
    return state === "rival" ? `state.rival.${role}` : `state.${state}`;
  }

  /** Sets the status only if it differs, because screen readers repeat a live region that is set again. */
  #say(sentence) {
    if (element("status").textContent !== sentence) element("status").textContent = sentence;
  }

  #showPeople(me, others) {
    const item = (name, role) => {
      const [person, part] = [document.createElement("li"), document.createElement("small")];
      part.textContent = text(`role.${role ?? "unknown"}`);
      person.append(`${name} `, part);
      return person;
    };
    const rest = others.map(({ name, role }) => item(name || text("call.nameless"), role));
    element("people").replaceChildren(item(text("call.you", { name: me.name }), me.role), ...rest);
  }

  #toggle(id, [off, on], handle) {
    const button = element(id);
    button.addEventListener("click", () => {
      const isOn = button.getAttribute("aria-pressed") !== "true";
      this.#press(button, isOn, isOn ? on : off);
      handle(isOn);
    });
  }

  #press(button, isOn, label) {
    button.setAttribute("aria-pressed", String(isOn));
    button.querySelector("span").textContent = text(label);
  }

  /** Starts playback; shows a button if the browser requires a click for audio. */
  async #play() {
    try {
      await element("remote").play();
      element("play").hidden = true;
    } catch (error) {
      if (error.name === "NotAllowedError") element("play").hidden = false;
    }
  }

  #clearRemote() {
    element("statistics").hidden = true;
    this.#hasPicture = false;
    this.#showCard();
    element("play").hidden = true;
    element("remote").srcObject = null;
    this.#received = new MediaStream();
  }

  #clear() {
    this.#state = "";
    this.showPeerMedia(null);
    this.#clearRemote();
    this.#press(element("mute"), false, "call.mute");
    this.#press(element("camera-off"), false, "call.cameraOff");
    element("local").classList.remove("off");
    element("local").srcObject = null;
  }
}

function isRoomNumber(words) {
  return /^\d+$/.test(words) && Number(words) >= 1 && Number.isSafeInteger(Number(words));
}

function bitrate(bits) {
  return bits < 1e6 ? unit("kbps", bits / 1e3) : unit("mbps", bits / 1e6, 2);
}

function unit(name, value, decimals = 0) {
  return text(`unit.${name}`, { value: strings.number(value, decimals) });
}

function row(name, value) {
  const [group, term, figure] = ["div", "dt", "dd"].map((tag) => document.createElement(tag));
  term.textContent = name;
  figure.textContent = value;
  group.append(term, figure);
  return group;
}
