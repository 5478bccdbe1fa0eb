// Wires the parts together: the address bar, the form, the devices, the room and the call.

import { Call } from "./call.js";
import * as media from "./media.js";
import { Room } from "./signaling.js";
import { has, text } from "./strings.js";
import { View } from "./view.js";

const parameters = new URLSearchParams(location.search);
/** The room token: behind the `#`, which browsers send to nobody, and out of sight once it is read. */
let token = takeToken();

/** The stay in a room, from the click on Join to the form again; null while the form is shown. */
let stay = null;

const view = new View({
  onJoin: (choice) => join(choice),
  onHangUp: () => hangUp(),
  onSwitchRole: () => switchRole(),
  onMute: (isMuted) => enable("audio", !isMuted),
  onCameraOff: (isOff) => enable("video", !isOff),
});

async function join(choice) {
  if (stay) return;
  remember(choice.name);
  const mine = { choice, call: null, room: null, stream: null };
  stay = mine;
  view.showProblems([]);
  view.showCall({ room: choice.room });
  const wanted = {
    ...(choice.camera !== null && { video: choice.camera }),
    ...(choice.microphone !== null && { audio: choice.microphone }),
  };
  if (Object.keys(wanted).length > 0) view.showProgress({ state: "media" }, people(mine));
  const { stream, problems } = await media.open(wanted);
  if (stay !== mine) return media.close(stream);
  mine.stream = stream;
  view.showProblems(problems);
  view.showCall({ room: choice.room, stream });
  watch(stream);
  media.devices().then((devices) => view.showDevices(devices));
  enter(mine);
}

function enter(mine) {
  const { name, room, role } = mine.choice;
  mine.call = new Call(mine.stream, {
    onProgress: (progress) => view.showProgress(progress, people(mine)),
    onTrack: (track) => view.showTrack(track),
    onFigures: (figures) => view.showFigures((mine.figures = figures)),
    onPeerMedia: (state) => view.showPeerMedia(state),
    onEnd: (end) => leave(sentence(end, role)),
  });
  mine.room = new Room({ server: location.origin, room, name, role, token }, (event) => mine.call.handle(event));
  mine.call.begin(mine.room);
}

function hangUp() {
  if (stay?.call?.peerName) stay.call.hangUp();
  else leave(text("end.left"));
}

function switchRole() {
  stay.call.stop();
  stay.room.leave();
  stay.choice = { ...stay.choice, role: stay.choice.role === "caller" ? "callee" : "caller" };
  view.fillForm({ ...stay.choice, server: location.origin });
  enter(stay);
  view.showCall({ room: stay.choice.room, stream: stay.stream });
}

function leave(why) {
  const { room, stream } = stay;
  stay = null;
  room?.leave();
  if (stream) media.close(stream);
  view.showForm(why);
}

function enable(kind, isEnabled) {
  for (const track of stay?.stream?.getTracks() ?? []) if (track.kind === kind) track.enabled = isEnabled;
  stay?.call?.mediaChanged();
}

function watch(stream) {
  for (const track of stream.getTracks()) {
    track.onended = () => {
      view.showProblems([{ kind: track.kind, why: "gone", detail: "" }]);
      stay?.call?.mediaChanged();
    };
  }
}

function people({ choice, room, call }) {
  return {
    me: { name: choice.name, role: choice.role },
    others: room?.participants ?? [],
    peer: room && call.peerName,
    rival: room?.rival?.name,
  };
}

function takeToken() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token");
  if (found) history.replaceState(null, "", location.pathname + location.search);
  return found ?? undefined;
}

/** Why the call is over, for people. */
function sentence({ reason, name, detail = "" }, role) {
  const fields = { name: name || text("call.nameless"), detail };
  if (reason === "refused") {
    const words = /token|auth/i.test(detail) ? "unauthorized" : detail;
    const key = [`end.${words}`, `end.${words}.${role}`].find(has) ?? "end.refused";
    return text(key, fields);
  }
  return has(`end.${reason}`) ? text(`end.${reason}`, fields) : text("end.failed", { why: text(`why.${reason}`) });
}

function remember(name) {
  // A browser that keeps nothing for this page still calls.
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
    // Any or none can be chosen before the devices are known.
    view.showDevices({ video: [], audio: [] });
    show();
    media.watchDevices(show);
  } else {
    const link = new URL(location.href);
    link.protocol = "https:";
    link.hash = "";
    view.showInsecure(link.href, (target) => {
      // The token goes along out of sight: no link shows it, and no status bar.
      if (token) link.hash = new URLSearchParams({ token });
      open(link.href, target);
    });
  }
  addEventListener("hashchange", () => (token = takeToken() ?? token));
  // A page that is closed has left at once; without the farewell the server waits for it to come back.
  addEventListener("pagehide", () => stay?.room && leave(text("end.left")));
}

begin();
