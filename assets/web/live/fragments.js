// Fragments of MP4 (ISO/IEC 14496-12) for Media Source Extensions.

import { shownSize } from "./parameters.js";
import { CLOCK, joined } from "./transport.js";

const text = (name) => Uint8Array.from(name, (letter) => letter.charCodeAt(0));
const u16 = (...values) => joined(values.map((value) => Uint8Array.of(value >>> 8, value)));
const u32 = (...values) =>
  joined(values.map((value) => Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value)));
const zeros = (count) => new Uint8Array(count);

function box(name, ...parts) {
  const size = parts.reduce((sum, part) => sum + part.length, 8);
  return joined([u32(size), text(name), ...parts]);
}

/** Returns a box with a version and flags. */
const full = (name, version, flags, ...parts) => box(name, u32((version << 24) | flags), ...parts);

const MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
const [VIDEO, AUDIO] = [1, 2];

/** Returns the MIME type of the tracks that a segment has. */
export function mimeType({ video, audio }) {
  const codecs = [];
  if (video.sps) {
    codecs.push(`avc1.${[...video.sps.subarray(1, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`);
  }
  if (audio.rate) codecs.push(`mp4a.40.${audio.profile}`);
  return `video/mp4; codecs="${codecs.join(",")}"`;
}

/** Returns the segment that describes the tracks. */
export function initialization({ video, audio }) {
  const movie = full("mvhd", 0, 0, u32(0, 0, CLOCK, 0, 0x10000), u16(0x100), zeros(10), MATRIX, zeros(24), u32(3));
  const [tracks, ids] = [[], []];
  if (video.sps) {
    const { width, height } = shownSize(video.sps);
    const entry = pictures(video, width, height);
    tracks.push(track(VIDEO, "vide", full("vmhd", 0, 1, zeros(8)), entry, width, height));
    ids.push(VIDEO);
  }
  if (audio.rate) {
    tracks.push(track(AUDIO, "soun", full("smhd", 0, 0, zeros(4)), sound(audio), 0, 0));
    ids.push(AUDIO);
  }
  return joined([
    box("ftyp", text("isom"), u32(512), text("isomiso6avc1mp41")),
    box("moov", movie, ...tracks, box("mvex", ...ids.map(defaults))),
  ]);
}

const defaults = (id) => full("trex", 0, 0, u32(id, 1, 0, 0, 0));

function track(id, handler, header, description, width, height) {
  const volume = handler === "soun" ? 0x100 : 0;
  return box(
    "trak",
    full(
      "tkhd", 0, 7, u32(0, 0, id, 0, 0), zeros(8), u16(0, 0, volume, 0), MATRIX, u32(width * 65536, height * 65536),
    ),
    box(
      "mdia",
      full("mdhd", 0, 0, u32(0, 0, CLOCK, 0), u16(0x55c4, 0)),
      full("hdlr", 0, 0, u32(0), text(handler), zeros(13)),
      box(
        "minf",
        header,
        box("dinf", full("dref", 0, 0, u32(1), full("url ", 0, 1))),
        box(
          "stbl",
          full("stsd", 0, 0, u32(1), description),
          full("stts", 0, 0, u32(0)),
          full("stsc", 0, 0, u32(0)),
          full("stsz", 0, 0, u32(0, 0)),
          full("stco", 0, 0, u32(0)),
        ),
      ),
    ),
  );
}

function pictures({ sps, pps }, width, height) {
  const parameters = box(
    "avcC",
    Uint8Array.of(1, sps[1], sps[2], sps[3], 0xff, 0xe1), u16(sps.length), sps, Uint8Array.of(1), u16(pps.length), pps,
  );
  return box(
    "avc1",
    zeros(6), u16(1), zeros(16), u16(width, height), u32(0x480000, 0x480000, 0), u16(1), zeros(32), u16(24, 0xffff),
    parameters,
  );
}

function sound({ profile, rateIndex, rate, channels }) {
  const specific = u16((profile << 11) | (rateIndex << 7) | (channels << 3));
  const decoder = Uint8Array.of(4, 13 + 2 + specific.length, 0x40, 0x15, 0, 0, 0, ...zeros(8), 5, specific.length);
  const stream = joined([
    Uint8Array.of(3, 3 + decoder.length + specific.length + 3, 0, 0, 0), decoder, specific, Uint8Array.of(6, 1, 2),
  ]);
  return box(
    "mp4a", zeros(6), u16(1), zeros(8), u16(channels === 7 ? 8 : channels, 16, 0, 0), u32(rate * 65536), full("esds", 0, 0, stream),
  );
}

/**
 * Returns a fragment with the samples of a segment; `start` is the time at which the first fragment begins, and `end`
 * that at which the segment ends.
 */
export function fragment(number, { video, audio }, start, end) {
  const tracks = [[VIDEO, video.samples], [AUDIO, audio.samples]].filter(([, samples]) => samples.length);
  const bodies = tracks.map(([, samples]) => joined(samples.map((sample) => sample.data)));
  const head = (size) => {
    let offset = size + 8;
    const fragments = tracks.map(([id, samples], index) => {
      const one = trackFragment(id, samples, start, end, offset);
      offset += bodies[index].length;
      return one;
    });
    return box("moof", full("mfhd", 0, 0, u32(number)), ...fragments);
  };
  return joined([head(head(0).length), box("mdat", ...bodies)]);
}

function trackFragment(id, samples, start, end, offset) {
  const entries = samples.map((sample, index) => {
    const next = samples[index + 1];
    const previous = samples[index - 1];
    const last = previous ? sample.dts - previous.dts : Math.max(1, end - sample.dts);
    const span = next ? next.dts - sample.dts : last;
    const flags = sample.isKey ? 0x2000000 : 0x1010000;
    return u32(Math.round(span), sample.data.length, flags, Math.round(sample.pts - sample.dts));
  });
  const begin = Math.max(0, Math.round(samples[0].dts - start));
  return box(
    "traf",
    full("tfhd", 0, 0x20000, u32(id)),
    full("tfdt", 1, 0, u32(Math.floor(begin / 2 ** 32), begin)),
    full("trun", 1, 0xf01, u32(samples.length, offset), ...entries),
  );
}
