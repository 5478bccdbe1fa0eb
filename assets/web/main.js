// Connects the URL, the form, the devices, the room and the call.

import { Call } from "./call.js";
import { RING_LIMIT } from "./chat/calls.js";
import { nameOf } from "./chat/describe.js";
import { LinkAccount } from "./chat/link-account.js";
import { Chat } from "./chat/main.js";
import * as media from "./media.js";
import { Room } from "./signaling.js";
import { has, text } from "./strings.js";
import { View } from "./view.js";

/** The services that the server of the page offers. */
const services = document.documentElement.dataset.services.split(" ");
const hasChat = services.includes("chat");
const parameters = new URLSearchParams(location.search);
/** The token from the fragment of the URL, which browsers do not send; it is removed from the URL once read. */
let token = takeToken();
/** The token for rooms: not that of an account before the user has confirmed it, because a link may come from anybody. */
let trusted = LinkAccount.of(token) ? undefined : token;

/** The session in a room, from the click on Join until the form is shown again; null while it is shown. */
let session = null;

/** The room that a call from a conversation has interrupted, with the state of the devices. */
let interrupted = null;

/** The chat, once it was shown. */
let chat = null;

const view = new View({
  onJoin: (choice) => {
    view.forgetTold();
    join(choice);
  },
  onHangUp: () => hangUp(),
  onSwitchRole: () => switchRole(),
  onMute: (isMuted) => enable("audio", !isMuted),
  onCameraOff: (isOff) => enable("video", !isOff),
});

/**
 * Joins a room.
 * @param {{name: string, room: string, role: string, camera: string | null, microphone: string | null}} choice
 * @param {object} [options]
 * @param {import("./chat/calls.js").Visit} [options.visit] the call from a conversation for which the room is joined
 * @param {{isMuted: boolean, isCameraOff: boolean}} [options.switches] the state of the devices
 */
async function join(choice, { visit, switches } = {}) {
  if (session) return;
  if (!visit) remember(choice.name);
  const mine = { choice, visit, wasCall: false, call: null, room: null, stream: null };
  session = mine;
  view.showProblems([]);
  view.showCall({ room: choice.room, visited: visit?.peer.name });
  const wanted = {
    ...(choice.camera !== null && { video: choice.camera }),
    ...(choice.microphone !== null && { audio: choice.microphone }),
  };
  if (Object.keys(wanted).length > 0) view.showProgress({ state: "media" }, people(mine));
  const { stream, problems } = await media.open(wanted);
  if (session !== mine) return media.close(stream);
  mine.stream = stream;
  view.showProblems(problems);
  view.showCall({ room: choice.room, visited: visit?.peer.name, stream });
  watch(stream);
  if (switches) restore(switches);
  media.devices().then((devices) => view.showDevices(devices));
  enter(mine);
}

function enter(mine) {
  const { name, room, role } = mine.choice;
  mine.call = new Call(mine.stream, {
    onProgress: (progress) => showProgress(mine, progress),
    onTrack: (track) => view.showTrack(track),
    onFigures: (figures) => view.showFigures((mine.figures = figures)),
    onPeerMedia: (state) => view.showPeerMedia(state),
    onEnd: (end) => leave(sentence({ ...end, name: named(mine, end.name) }, role)),
  });
  mine.room = new Room({ server: location.origin, room, name, role, token: trusted }, (event) => mine.call.handle(event));
  mine.call.begin(mine.room);
}

/** Shows the progress of a call; one from a conversation calls also while it waits for the other person. */
function showProgress(mine, progress) {
  if (progress.state === "connected") mine.wasCall = true;
  const isWaiting = mine.visit && progress.state === "waiting";
  const state = mine.choice.role === "caller" ? "offering" : "answering";
  view.showProgress(isWaiting ? { state } : progress, people(mine));
}

function hangUp() {
  if (session?.call?.peerName) session.call.hangUp();
  else leave(session?.visit ? text("chat.call.cancelled", { name: session.visit.peer.name }) : text("end.left"));
}

/** Switches microphone and camera as they were. */
function restore(switches) {
  view.switches = switches;
  enable("audio", !switches.isMuted);
  enable("video", !switches.isCameraOff);
}

/** Makes the calls from conversations, of which there is one at a time. */
const phone = {
  isBusy: () => Boolean(session?.visit || session?.call?.peerName),
  isAlone: () => !session?.call?.peerName,
  visit(visit) {
    // A visit that takes the place of another one comes back to the same room.
    if (session && !session.visit) interrupted = { choice: session.choice, switches: view.switches };
    if (session) {
      stop();
      view.showForm("");
    }
    view.forgetTold();
    const { name, room, role, peer } = visit;
    join({ name, room, role, ...view.devices }, { visit });
    const mine = session;
    location.hash = "#call";
    setTimeout(() => {
      if (session !== mine || mine.call?.hasBegun) return;
      // A caller who does not come has not failed to answer.
      leave(text(role === "caller" ? "chat.call.unanswered" : "chat.call.failed", { name: peer.name }));
    }, RING_LIMIT);
  },
  endVisit(room, why) {
    if (session?.visit?.room === room && !session.wasCall) leave(why);
  },
  showRing: (title) => view.showRing(title),
  tell: (sentence) => view.tell(sentence),
};

/** Follows the user's decision about the account of a link, whose token is for rooms, too. */
const decision = {
  onAccept: () => (trusted = token),
  onDecline: () => (token = trusted),
};

function switchRole() {
  session.call.stop();
  session.room.leave();
  session.choice = { ...session.choice, role: session.choice.role === "caller" ? "callee" : "caller" };
  view.fillForm({ ...session.choice, server: location.origin });
  enter(session);
  view.showCall({ room: session.choice.room, stream: session.stream });
}

function leave(why) {
  const { visit, wasCall } = stop();
  view.showForm(why);
  if (!visit) return;
  chat.visited(visit, wasCall);
  location.hash = "#chat";
  if (!interrupted) return;
  const { choice, switches } = interrupted;
  interrupted = null;
  join(choice, { switches });
  view.tell(why);
}

/** Ends the session in a room, and returns it. */
function stop() {
  const ended = session;
  session = null;
  ended.call?.stop();
  ended.room?.leave();
  if (ended.stream) media.close(ended.stream);
  return ended;
}

function enable(kind, isEnabled) {
  for (const track of session?.stream?.getTracks() ?? []) if (track.kind === kind) track.enabled = isEnabled;
  session?.call?.mediaChanged();
}

function watch(stream) {
  for (const track of stream.getTracks()) {
    track.onended = () => {
      view.showProblems([{ kind: track.kind, why: "gone", detail: "" }]);
      session?.call?.mediaChanged();
    };
  }
}

/** Returns the name of the other person, as their conversation has it if the call came from one. */
function named({ visit }, name) {
  return visit && name ? nameOf({ id: visit.peer.id, name }) : name;
}

function people(mine) {
  const { choice, room, call, visit } = mine;
  return {
    me: { name: choice.name, role: choice.role },
    others: room?.participants ?? [],
    peer: named(mine, room && call.peerName) || visit?.peer.name,
    rival: room?.rival?.name,
  };
}

function takeToken() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token");
  if (found) history.replaceState(null, "", location.pathname + location.search);
  return found ?? undefined;
}

/** The sentence that tells the user why the call has ended. */
function sentence({ reason, name, detail = "" }, role) {
  const fields = { name: name || text("call.nameless"), detail };
  if (reason === "refused") {
    const isUndecided = token !== trusted && hasChat;
    const words = /token|auth/i.test(detail) ? (isUndecided ? "undecided" : "unauthorized") : detail;
    const key = [`end.${words}`, `end.${words}.${role}`].find(has) ?? "end.refused";
    return text(key, fields);
  }
  return has(`end.${reason}`) ? text(`end.${reason}`, fields) : text("end.failed", { why: text(`why.${reason}`) });
}

function remember(name) {
  // Calls work without storage too.
  try {
    localStorage.setItem("callrunner.name", name);
  } catch {}
}

function remembered() {
  try {
    return localStorage.getItem("callrunner.name") ?? "";
  } catch {
    return "";
  }
}

function begin() {
  view.fillForm({
    name: parameters.get("name") ?? remembered(),
    room: parameters.get("room") ?? "1",
    role: parameters.get("role") ?? "callee",
    server: location.origin,
  });
  if (media.isAllowed) {
    const show = () => media.devices().then((devices) => view.showDevices(devices));
    // “Any” and “none” can be selected before the devices are known.
    view.showDevices({ video: [], audio: [] });
    show();
    media.watchDevices(show);
  } else {
    const link = new URL(location.href);
    link.protocol = "https:";
    link.hash = "";
    view.showInsecure(link.href, (target) => {
      // The token is added only now, so that neither the link nor the status bar shows it.
      if (token) link.hash = new URLSearchParams({ token });
      open(link.href, target);
    });
  }
  addEventListener("hashchange", () => {
    const found = takeToken();
    if (!found) return;
    token = found;
    if (!LinkAccount.of(found)) trusted = found;
    chat?.offer(found);
  });
  // Leaves when the page is closed; otherwise the server would wait for it to reconnect.
  addEventListener("pagehide", () => {
    interrupted = null;
    if (session?.room) leave(text("end.left"));
  });
}

/** Shows the links to those parts that the server offers beside calls. */
function showParts() {
  for (const name of ["chat", "live"]) document.getElementById(`to-${name}`).hidden = !services.includes(name);
  document.getElementById("parts").hidden = !["chat", "live"].some((name) => services.includes(name));
}

/** Shows the call or the chat, as the URL says; a call goes on meanwhile. */
function beginChat() {
  if (!hasChat) return;
  const follow = () => {
    const isChat = location.hash === "#chat";
    if (isChat) chat ??= new Chat(token, phone, decision);
    view.showPart(isChat, session !== null);
    if (isChat) chat.show();
    else chat?.hide();
  };
  addEventListener("hashchange", follow);
  follow();
}

begin();
showParts();
beginChat();
