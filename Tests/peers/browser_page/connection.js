// One call attempt, with its peer connection, camera and counters.

export class Connection {
  #pc = new RTCPeerConnection({ iceServers: [] });
  #early = [];
  #codec;
  #parameters;
  #onlyPrefers;
  #onChannel;

  constructor({ stream, codec, parameters, onlyPrefers, onCandidate, onConnected, onFailed, onTrack, onChannel }) {
    this.#codec = codec;
    this.#parameters = parameters?.split(";") ?? [];
    this.#onlyPrefers = onlyPrefers;
    this.#onChannel = onChannel;
    this.stream = stream;
    this.#pc.onicecandidate = ({ candidate }) => {
      if (candidate?.candidate) onCandidate(candidate.toJSON());
    };
    this.#pc.ontrack = ({ streams, track }) => onTrack(streams[0] ?? new MediaStream([track]));
    this.#pc.onconnectionstatechange = () => {
      if (this.#pc.connectionState === "connected") onConnected();
      if (this.#pc.connectionState === "failed") onFailed();
    };
  }

  async offer() {
    this.#addTracks();
    if (this.#onChannel) this.#pc.createDataChannel("chat").onopen = this.#onChannel;
    await this.#pc.setLocalDescription();
    return this.#pc.localDescription.sdp;
  }

  /** Adds a track and returns the offer that includes it. */
  async offerAlso(track) {
    this.#pc.addTrack(track, this.stream);
    await this.#pc.setLocalDescription();
    return this.#pc.localDescription.sdp;
  }

  async answer(offer) {
    await this.#pc.setRemoteDescription({ type: "offer", sdp: offer });
    this.#addTracks();
    await this.#pc.setLocalDescription();
    if (!this.#onlyPrefers) await this.sendPreferredCodec();
    await this.#addEarlyCandidates();
    return this.#pc.localDescription.sdp;
  }

  async accept(answer) {
    if (this.#pc.signalingState !== "have-local-offer") return;
    await this.#pc.setRemoteDescription({ type: "answer", sdp: answer });
    await this.#addEarlyCandidates();
  }

  async add(candidate) {
    if (!this.#pc.remoteDescription) this.#early.push(candidate);
    else await this.#pc.addIceCandidate(candidate);
  }

  /** Divides the width and height of the sent video by `factor`. */
  scaleDown(factor) {
    return this.#encode(() => ({ scaleResolutionDownBy: factor }));
  }

  async statistics() {
    const reports = [...(await this.#pc.getStats()).values()];
    const codecs = new Map(reports.filter(({ type }) => type === "codec").map((c) => [c.id, c.mimeType]));
    const of = (type, kind) => reports.find((report) => report.type === type && report.kind === kind) ?? {};
    const [videoIn, videoOut] = [of("inbound-rtp", "video"), of("outbound-rtp", "video")];
    const [audioIn, audioOut] = [of("inbound-rtp", "audio"), of("outbound-rtp", "audio")];
    const name = (report) => codecs.get(report.codecId)?.split("/")[1];
    return {
      video: {
        in: {
          frames: videoIn.framesDecoded ?? 0, received: videoIn.framesReceived ?? 0,
          width: videoIn.frameWidth, height: videoIn.frameHeight, codec: name(videoIn),
          packets: videoIn.packetsReceived ?? 0, lost: videoIn.packetsLost ?? 0,
          freezes: videoIn.freezeCount ?? 0,
        },
        out: {
          frames: videoOut.framesSent ?? 0, width: videoOut.frameWidth, height: videoOut.frameHeight,
          codec: name(videoOut), packets: videoOut.packetsSent ?? 0,
        },
      },
      audio: {
        in: {
          packets: audioIn.packetsReceived ?? 0, lost: audioIn.packetsLost ?? 0, codec: name(audioIn),
          level: audioIn.audioLevel ?? 0, energy: audioIn.totalAudioEnergy ?? 0,
        },
        out: { packets: audioOut.packetsSent ?? 0, codec: name(audioOut) },
      },
    };
  }

  close() {
    this.#pc.close();
  }

  #addTracks() {
    for (const track of this.stream.getTracks()) this.#pc.addTrack(track, this.stream);
    if (!this.#codec) return;
    // Only the chosen codec remains, with retransmission and error correction, which accompany every codec.
    const wanted = new RegExp(`^video/(${this.#codec}|rtx|red|ulpfec)$`, "i");
    const isChosen = new RegExp(`^video/${this.#codec}$`, "i");
    const fits = ({ mimeType, sdpFmtpLine }) =>
      !isChosen.test(mimeType) || this.#parameters.every((parameter) => sdpFmtpLine?.includes(parameter));
    const all = RTCRtpReceiver.getCapabilities("video").codecs.filter(fits);
    const codecs = all.filter(({ mimeType }) => wanted.test(mimeType));
    for (const transceiver of this.#pc.getTransceivers()) {
      if (transceiver.sender.track?.kind === "video") transceiver.setCodecPreferences(codecs);
    }
  }

  /** Sends the preferred codec. By default, an answering Chromium sends the first codec of the offer instead. */
  async sendPreferredCodec() {
    if (!this.#codec) return;
    const name = `video/${this.#codec}`.toLowerCase();
    await this.#encode(({ codecs }) => ({ codec: codecs.find((c) => c.mimeType.toLowerCase() === name) }));
  }

  async #encode(change) {
    const sender = this.#pc.getSenders().find(({ track }) => track?.kind === "video");
    const parameters = sender.getParameters();
    Object.assign(parameters.encodings[0], change(parameters));
    await sender.setParameters(parameters);
  }

  async #addEarlyCandidates() {
    for (const candidate of this.#early.splice(0)) await this.#pc.addIceCandidate(candidate);
  }
}
