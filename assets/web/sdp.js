// The parts of a session description that signaling uses (RFC 8866, RFC 8839).

/** The longest description, and the most media sections, that are accepted; as in callrunner. */
const LONGEST = 256 * 1024;
const MOST_SECTIONS = 64;
/** The attributes of a transport (RFC 8859, category TRANSPORT). */
const TRANSPORT = /^a=(ice-ufrag|ice-pwd|ice-options|fingerprint|setup):/;

/**
 * The identity of a description, by which descriptions are compared.
 * @typedef {object} Identity
 * @property {string} id the first `a=ice-ufrag`, which identifies an offer
 * @property {bigint} version the session version of the `o=` line
 * @property {Set<string>} ufrags every `a=ice-ufrag`
 */

/**
 * Reads a description's identity.
 * @param {unknown} sdp unverified input from the network
 * @returns {Identity | null} null if it is not a description, or exceeds a bound
 */
export function identify(sdp) {
  if (typeof sdp !== "string" || sdp.length > LONGEST || !sdp.startsWith("v=0")) return null;
  const sections = sdp.match(/^m=/gm)?.length ?? 0;
  const ufrags = sdp.match(/^a=ice-ufrag:\S+/gm)?.map((line) => line.slice(12)) ?? [];
  // A section has one, and so has the session.
  if (sections > MOST_SECTIONS || ufrags.length > MOST_SECTIONS + 1) return null;
  const origin = sdp.match(/^o=\S+ \S+ (\d{1,20}) /m);
  if (ufrags.length === 0 || !origin) return null;
  return { id: ufrags[0], version: BigInt(origin[1]), ufrags: new Set(ufrags) };
}

/**
 * Refuses the sections of an offer that a call does not need (RFC 3264 §6): all but the first one of audio and the first
 * one of video. A peer could otherwise let the browser decode dozens of videos, and open data channels.
 * @param {string} sdp
 * @returns {{sdp: string, refused: string[]}} the offer, and the mids of the bundle that are refused
 */
export function limitOffer(sdp) {
  const [session, ...sections] = sdp.split(/^(?=m=)/m);
  const needed = new Set(["audio", "video"]);
  const mids = new Set();
  const limited = sections.map((section) => {
    const [, kind, port] = section.match(/^m=(\S+) (\d+)/) ?? [];
    // Browsers read the attribute with a value, too.
    const isInBundleOnly = /^a=bundle-only(?=[: ]|\s*$)/m.test(section);
    if ((Number(port) === 0 && !isInBundleOnly) || needed.delete(kind)) return section;
    mids.add(section.match(/^a=mid:(\S+)/m)?.[1]);
    // With “bundle-only”, the port 0 would mean that the section is in use (RFC 8843 §6).
    return section.replace(/^(m=\S+ )\d+/, (_, start) => `${start}0`)
      .replace(/^a=bundle-only(?:[: ].*|[^\S\r\n]*)(?:\r?\n|$)/gm, "");
  });
  const refused = new Set();
  const isKept = (mid) => !mids.has(mid) || !refused.add(mid);
  const bundle = session.replace(/^a=group:BUNDLE .*$/gm, (line) => line.split(" ").filter(isKept).join(" "));
  return { sdp: [bundle, ...limited].join(""), refused: [...refused] };
}

/**
 * Returns an answer with the transport in each section that it refuses, and with the mids of these in the bundle, without
 * which aiortc would not connect. Other peers read neither of a refused section.
 * @param {string} sdp
 * @param {string[]} refused as of `limitOffer`
 */
export function completeAnswer(sdp, refused) {
  if (refused.length === 0) return sdp;
  const [session, ...sections] = sdp.split(/^(?=m=)/m);
  const answered = sections.find((section) => !isRefused(section)) ?? "";
  const transport = answered.split("\r\n").filter((line) => TRANSPORT.test(line)).map((line) => `${line}\r\n`).join("");
  const bundle = session.replace(/^a=group:BUNDLE.*$/m, (line) => [line, ...refused].join(" "));
  return [bundle, ...sections.map((section) => (isRefused(section) ? section + transport : section))].join("");
}

function isRefused(section) {
  return /^m=\S+ 0 /.test(section);
}

/**
 * Reads a `candidate` message in any of the forms that existing clients send.
 * @param {unknown} message
 * @returns {RTCIceCandidateInit | null} null for the end of candidates and for invalid messages
 */
export function readCandidate(message) {
  if (typeof message !== "object" || message === null) return null;
  const { candidate, sdpMid, sdpMLineIndex, usernameFragment } = message;
  if (typeof candidate !== "string" || candidate.length > 4096) return null;
  const line = candidate.replace(/^a=/, "").trim();
  if (!line.startsWith("candidate:")) return null;
  const read = { candidate: line };
  // The mid takes precedence over the index, which may be a string or that of a missing section.
  if (typeof sdpMid === "string") {
    read.sdpMid = sdpMid;
  } else {
    const index = Number(sdpMLineIndex ?? NaN);
    if (!Number.isInteger(index) || index < 0 || index > 255) return null;
    read.sdpMLineIndex = index;
  }
  if (typeof usernameFragment === "string" && usernameFragment) read.usernameFragment = usernameFragment;
  return read;
}
