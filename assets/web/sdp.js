// What signaling has to know of a session description (RFC 8866, RFC 8839), and no more.

/**
 * What tells one description from another.
 * @typedef {object} Identity
 * @property {string} id the first `a=ice-ufrag`, by which an offer is named
 * @property {bigint} version the session version of the `o=` line
 * @property {Set<string>} ufrags every `a=ice-ufrag`
 */

/**
 * Reads a description's identity.
 * @param {unknown} sdp as it came from the network
 * @returns {Identity | null} null where it is no description
 */
export function identify(sdp) {
  if (typeof sdp !== "string" || !sdp.startsWith("v=0")) return null;
  const ufrags = [...sdp.matchAll(/^a=ice-ufrag:(\S+)/gm)].map(([, ufrag]) => ufrag);
  const origin = sdp.match(/^o=\S+ \S+ (\d{1,20}) /m);
  if (ufrags.length === 0 || !origin) return null;
  return { id: ufrags[0], version: BigInt(origin[1]), ufrags: new Set(ufrags) };
}

/**
 * Reads a `candidate` message in any of the forms that the field sends.
 * @param {unknown} message
 * @returns {RTCIceCandidateInit | null} null for the end of candidates and for what is none
 */
export function readCandidate(message) {
  if (typeof message !== "object" || message === null) return null;
  const { candidate, sdpMid, sdpMLineIndex, usernameFragment } = message;
  if (typeof candidate !== "string" || candidate.length > 4096) return null;
  const line = candidate.replace(/^a=/, "").trim();
  if (!line.startsWith("candidate:")) return null;
  const read = { candidate: line };
  // The mid wins over the index, which may be a string, or name a section that does not exist.
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
