// The statistics of a call from getStats, with rates.

/**
 * @typedef {object} Figures
 * @property {{bitrate: number, fps: number, width: number, height: number, codec: string, frames: number}} videoIn
 * @property {{bitrate: number, codec: string, packets: number}} audioIn
 * @property {number} bitrateOut video and audio together; all bit rates are in bits per second
 * @property {{frames: number, packets: number}} videoOut
 * @property {number} lost packets since the call began
 * @property {number} received packets of any kind since the call began
 * @property {number | null} rttMs
 * @property {boolean} hasRates false at the first reading, which has no rates
 */

/** Reads a peer connection repeatedly; the rates are those since the previous reading. */
export class Meter {
  #pc;
  #before = new Map();

  /** @param {RTCPeerConnection} pc */
  constructor(pc) {
    this.#pc = pc;
  }

  /** @returns {Promise<Figures>} */
  async read() {
    const reports = [...(await this.#pc.getStats()).values()];
    const rtp = (type, kind) => reports.find((report) => report.type === type && report.kind === kind) ?? {};
    const codecs = new Map(reports.filter(({ type }) => type === "codec").map((codec) => [codec.id, codec]));
    // The peer may write “opus” in any case.
    const codec = ({ codecId }) => codecs.get(codecId)?.mimeType.split("/")[1].replace(/^opus$/i, "Opus") ?? "";
    const [videoIn, audioIn] = [rtp("inbound-rtp", "video"), rtp("inbound-rtp", "audio")];
    const [videoOut, audioOut] = [rtp("outbound-rtp", "video"), rtp("outbound-rtp", "audio")];
    const pair = selectedPair(reports);
    const figures = {
      videoIn: {
        bitrate: 8 * this.#rate(videoIn, "bytesReceived"),
        fps: videoIn.framesPerSecond ?? this.#rate(videoIn, "framesDecoded"),
        width: videoIn.frameWidth ?? 0,
        height: videoIn.frameHeight ?? 0,
        codec: codec(videoIn),
        frames: videoIn.framesDecoded ?? 0,
      },
      audioIn: {
        bitrate: 8 * this.#rate(audioIn, "bytesReceived"),
        codec: codec(audioIn),
        packets: audioIn.packetsReceived ?? 0,
      },
      bitrateOut: 8 * (this.#rate(videoOut, "bytesSent") + this.#rate(audioOut, "bytesSent")),
      videoOut: { frames: videoOut.framesSent ?? 0, packets: videoOut.packetsSent ?? 0 },
      lost: Math.max(0, (videoIn.packetsLost ?? 0) + (audioIn.packetsLost ?? 0)),
      received: packetsOfAnyKind(reports, pair),
      rttMs: pair?.currentRoundTripTime === undefined ? null : 1000 * pair.currentRoundTripTime,
      hasRates: this.#before.size > 0,
    };
    this.#before = new Map(reports.map((report) => [report.id, report]));
    return figures;
  }

  #rate(report, field) {
    const before = this.#before.get(report.id);
    const seconds = (report.timestamp - before?.timestamp) / 1000;
    return seconds > 0 ? Math.max(0, ((report[field] ?? 0) - (before[field] ?? 0)) / seconds) : 0;
  }
}

function selectedPair(reports) {
  const transport = reports.find(({ type, selectedCandidatePairId }) => type === "transport" && selectedCandidatePairId);
  const pairs = reports.filter(({ type }) => type === "candidate-pair");
  return transport
    ? pairs.find(({ id }) => id === transport.selectedCandidatePairId)
    : pairs.find(({ nominated, state }) => nominated && state === "succeeded");
}

/** Returns the number of received packets including RTCP, which a peer sends without camera and microphone too. */
function packetsOfAnyKind(reports, pair) {
  const transport = reports.find(({ type, packetsReceived }) => type === "transport" && packetsReceived);
  return transport?.packetsReceived ?? pair?.packetsReceived ?? pair?.bytesReceived ?? 0;
}
