// The page on which a live stream or a recording of the server is watched; its playback ID follows `#` in the address, and
// `?token=` the token of a signed one.

import { text, translate } from "../strings.js";
import { LivePlayer } from "./player.js";

const DEFAULT_ID = "demo";
/** The seconds behind the end of what is loaded from which the button to the live picture is shown. */
const BEHIND = 8;

const element = (id) => document.getElementById(id);
const video = element("video");
let player = null;

function show(state) {
  const texts = {
    loading: "live.loading", ended: "live.ended", "not-live": "live.notLive", "not-found": "live.notFound",
    forbidden: "live.forbidden", offline: "live.offline", unsupported: "live.unsupported",
  };
  const key = texts[state.name];
  const sentence = key ? text(key, { seconds: state.seconds }) : "";
  // A screen reader would read an equal text again.
  if (element("state").textContent !== sentence) element("state").textContent = sentence;
  document.documentElement.dataset.state = state.name;
  showButtons();
}

function showButtons() {
  const isPlaying = document.documentElement.dataset.state === "playing";
  element("hear").hidden = !(isPlaying && video.muted);
  const ranges = video.buffered;
  const isLive = !Number.isFinite(video.duration);
  const isBehind = ranges.length > 0 && ranges.end(ranges.length - 1) - video.currentTime > BEHIND;
  element("edge").hidden = !(isPlaying && isLive && isBehind);
}

function watch(id) {
  player?.stop();
  const [name, token] = id.split("?token=");
  document.title = `${name} – callrunner`;
  const url = new URL(`../${encodeURIComponent(name)}.m3u8`, location.href);
  if (token) url.searchParams.set("token", token);
  player = new LivePlayer(video, url.href, show);
  player.run();
}

/** Returns the ID in the address of the page; empty if it has none that can be read. */
function given() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

/** Plays what the address names, or else the stream of the server's file, if it has one. */
async function begin() {
  const id = given() || (await hasDefault() ? DEFAULT_ID : "");
  // Meanwhile, another address may have been given.
  if (given() && given() !== id) return;
  element("id").value = id;
  if (id) return watch(id);
  element("state").textContent = text("live.noID");
  element("id").focus();
}

async function hasDefault() {
  try {
    return (await fetch(`../${DEFAULT_ID}.m3u8`, { method: "HEAD", cache: "no-store" })).status !== 404;
  } catch {
    // The player reports that there is no connection.
    return true;
  }
}

element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const id = element("id").value.trim();
  element("id-error").textContent = id ? "" : text("live.noID");
  element("id").setAttribute("aria-invalid", String(!id));
  if (!id) return element("id").focus();
  const hash = `#${encodeURIComponent(id)}`;
  if (location.hash === hash) watch(id);
  else location.hash = hash;
});
element("hear").addEventListener("click", () => {
  video.muted = false;
  video.focus();
  showButtons();
});
element("edge").addEventListener("click", () => player.toLiveEdge());
for (const event of ["volumechange", "timeupdate", "pause", "play"]) video.addEventListener(event, showButtons);
addEventListener("hashchange", begin);
translate(document);
begin();
