// The samples in a segment of an MPEG transport stream (ISO/IEC 13818-1) with H.264 and AAC.

const PACKET = 188;
const H264 = 0x1b;
const AAC = 0x0f;
// Samples a second, by the index in a header of ADTS (ISO/IEC 13818-7).
const RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350];
const FRAME = 1024;
// Units of time a second.
export const CLOCK = 90000;

/**
 * Returns the video and audio samples of a segment: `{ data, dts, pts, isKey }`, with times in units of CLOCK, the
 * parameters of both tracks, and whether the segment lists them, because it may list a track without having its samples.
 */
export function samples(segment) {
  const { types, packets } = packetizedStreams(segment);
  const video = { isListed: types.includes(H264), samples: [], sps: null, pps: null };
  for (const packet of packets.get(H264)) addPicture(video, packet);
  const audio = { isListed: types.includes(AAC), samples: [], rate: 0, channels: 0, profile: 0, rateIndex: 0 };
  for (const packet of packets.get(AAC)) addFrames(audio, packet);
  return { video, audio };
}

/** Returns the types of the listed streams, and the packets of each by the type of its contents. */
function packetizedStreams(bytes) {
  let tablePid = null;
  const types = new Map();
  const parts = new Map();
  const packets = new Map([[H264, []], [AAC, []]]);
  const complete = (pid) => {
    const gathered = parts.get(pid);
    if (gathered?.length) packets.get(types.get(pid)).push(packet(joined(gathered)));
    parts.set(pid, []);
  };
  for (let at = 0; at + PACKET <= bytes.length; at += PACKET) {
    const head = bytes.subarray(at, at + PACKET);
    if (head[0] !== 0x47) throw new Error(`no packet at ${at}`);
    const pid = ((head[1] & 0x1f) << 8) | head[2];
    const isStart = (head[1] & 0x40) !== 0;
    if ((head[3] & 0x10) === 0) continue;
    const payload = head.subarray(4 + (head[3] & 0x20 ? 1 + head[4] : 0));
    if (pid === 0 && isStart) {
      const section = payload.subarray(1 + payload[0]);
      tablePid = ((section[10] & 0x1f) << 8) | section[11];
    } else if (pid === tablePid && isStart) {
      addStreams(payload.subarray(1 + payload[0]), types);
    } else if (packets.has(types.get(pid))) {
      if (isStart) complete(pid);
      parts.get(pid)?.push(payload);
    }
  }
  for (const pid of parts.keys()) complete(pid);
  return { types: [...types.values()], packets };
}

/** Adds the streams that a program map section lists. */
function addStreams(section, types) {
  const end = 3 + (((section[1] & 0x0f) << 8) | section[2]) - 4;
  let at = 12 + (((section[10] & 0x0f) << 8) | section[11]);
  while (at + 5 <= end) {
    types.set(((section[at + 1] & 0x1f) << 8) | section[at + 2], section[at]);
    at += 5 + (((section[at + 3] & 0x0f) << 8) | section[at + 4]);
  }
}

function packet(bytes) {
  const time = (at) =>
    ((bytes[at] >> 1) & 7) * 2 ** 30 + bytes[at + 1] * 2 ** 22 + (bytes[at + 2] >> 1) * 2 ** 15
    + bytes[at + 3] * 2 ** 7 + (bytes[at + 4] >> 1);
  const pts = time(9);
  const dts = (bytes[7] >> 6) === 3 ? time(14) : pts;
  return { pts, dts, data: bytes.subarray(9 + bytes[8]) };
}

/** Adds a picture, whose units get their lengths in place of start codes. */
function addPicture(video, { pts, dts, data }) {
  const kept = [];
  let isKey = false;
  for (const unit of units(data)) {
    const type = unit[0] & 31;
    if (type === 7) video.sps ??= unit;
    else if (type === 8) video.pps ??= unit;
    else if (type !== 9) {
      isKey ||= type === 5;
      const length = unit.length;
      kept.push(Uint8Array.of(length >>> 24, length >>> 16, length >>> 8, length), unit);
    }
  }
  video.samples.push({ data: joined(kept), dts, pts, isKey });
}

/** Splits a byte stream of H.264 at its start codes. */
function units(data) {
  const found = [];
  let begin = -1;
  for (let at = 0; at + 3 <= data.length; at++) {
    if (data[at] !== 0 || data[at + 1] !== 0 || data[at + 2] !== 1) continue;
    if (begin >= 0) found.push(data.subarray(begin, data[at - 1] === 0 ? at - 1 : at));
    begin = at + 3;
    at += 2;
  }
  if (begin >= 0) found.push(data.subarray(begin));
  return found;
}

/** Adds the frames of a packet of AAC without their headers. */
function addFrames(audio, { pts, data }) {
  let time = pts;
  for (let at = 0; at + 7 <= data.length;) {
    const head = data.subarray(at);
    const length = ((head[3] & 3) << 11) | (head[4] << 3) | (head[5] >> 5);
    if (head[0] !== 0xff || length < 7) throw new Error("no frame of AAC");
    audio.profile = (head[2] >> 6) + 1;
    audio.rateIndex = (head[2] >> 2) & 15;
    audio.rate = RATES[audio.rateIndex];
    audio.channels = ((head[2] & 1) << 2) | (head[3] >> 6);
    const frame = head.subarray(head[1] & 1 ? 7 : 9, length);
    audio.samples.push({ data: frame, dts: time, pts: time, isKey: true });
    time += FRAME * CLOCK / audio.rate;
    at += length;
  }
}

export function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
