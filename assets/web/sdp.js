// The parts of a session description that signaling uses (RFC 8866, RFC 8839).

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
 * @returns {Identity | null} null if it is not a description
 */
export function identify(sdp) {
  if (typeof sdp !== "string" || !sdp.startsWith("v=0")) return null;
  const ufrags = [...sdp.matchAll(/^a=ice-ufrag:(\S+)/gm)].map(([, ufrag]) => ufrag);
  const origin = sdp.match(/^o=\S+ \S+ (\d{1,20}) /m);
  if (ufrags.length === 0 || !origin) return null;
  return { id: ufrags[0], version: BigInt(origin[1]), ufrags: new Set(ufrags) };
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
