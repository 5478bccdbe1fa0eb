// Plays the live stream in the query parameter `stream`, as players of HLS in browsers do: segments are loaded and repacked
// for Media Source Extensions, three segments behind the end. `window.report()` tells the figures.

import { fragment, initialization, mimeType } from "./fragments.js";
import { CLOCK, samples } from "./transport.js";

const DISTANCE = 3;
// Seconds of the past that are kept.
const KEPT = 30;

const began = performance.now();
const video = document.querySelector("video");
const stream = new URLSearchParams(location.search).get("stream");
const figures = { firstPictureMs: null, stalls: 0 };
// The media times and dates of segments.
const dates = [];

window.report = () => {
  const now = video.currentTime;
  const latest = dates.findLast((one) => one.start <= now);
  const behind = latest ? (Date.now() - latest.date) / 1000 - (now - latest.start) : null;
  return { ...figures, behind, position: now };
};

video.requestVideoFrameCallback(() => {
  figures.firstPictureMs = performance.now() - began;
  video.addEventListener("waiting", () => { figures.stalls += 1; });
});

function parse(playlist) {
  const list = { first: 0, target: 1, segments: [] };
  let date = null;
  for (const line of playlist.split("\n")) {
    const value = line.slice(line.indexOf(":") + 1);
    if (line.startsWith("#EXT-X-MEDIA-SEQUENCE:")) list.first = Number(value);
    else if (line.startsWith("#EXT-X-TARGETDURATION:")) list.target = Number(value);
    else if (line.startsWith("#EXT-X-PROGRAM-DATE-TIME:")) date = Date.parse(value);
    else if (line && !line.startsWith("#")) list.segments.push({ uri: new URL(line, stream), date });
  }
  return list;
}

async function load(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return response;
}

function added(buffer, bytes) {
  return new Promise((resolve, reject) => {
    buffer.addEventListener("updateend", resolve, { once: true });
    buffer.addEventListener("error", reject, { once: true });
    buffer.appendBuffer(bytes);
  });
}

async function play() {
  const source = new MediaSource();
  video.src = URL.createObjectURL(source);
  await new Promise((resolve) => { source.addEventListener("sourceopen", resolve, { once: true }); });
  let [buffer, next, start] = [null, null, 0];
  for (;;) {
    const list = parse(await (await load(stream)).text());
    const loaded = performance.now();
    next = Math.max(next ?? list.first + list.segments.length - DISTANCE, list.first);
    for (; next < list.first + list.segments.length; next++) {
      const segment = list.segments[next - list.first];
      const media = samples(new Uint8Array(await (await load(segment.uri)).arrayBuffer()));
      const isFirst = !buffer;
      if (isFirst) {
        start = Math.min(media.video.samples[0].dts, media.audio.samples[0]?.dts ?? Infinity);
        buffer = source.addSourceBuffer(mimeType(media));
        await added(buffer, initialization(media));
      }
      await added(buffer, fragment(next, media, start, media.video.samples[0].dts + list.target * CLOCK));
      dates.push({ start: (media.video.samples[0].pts - start) / CLOCK, date: segment.date });
      if (isFirst) {
        video.currentTime = buffer.buffered.start(0);
        video.play();
      }
    }
    if (buffer && video.currentTime > 2 * KEPT) {
      await new Promise((resolve) => {
        buffer.addEventListener("updateend", resolve, { once: true });
        buffer.remove(0, video.currentTime - KEPT);
      });
    }
    const pause = 1000 * list.target - (performance.now() - loaded);
    await new Promise((resolve) => { setTimeout(resolve, Math.max(0, pause)); });
  }
}

await play();
