internal import Basics
internal import CallCore
internal import GStreamerKit
internal import MediaKit
internal import Synchronization

/// The media that webrtcbin delivers in one attempt, depayloaded into one hub per codec.
final class IncomingTracks: Sendable {
    private let pipeline: WeakPipeline
    private let counters: TrafficCounters
    private let descriptions: [Codec: String]
    private let eventContinuation: AsyncStream<MediaEvent>.Continuation
    private let relays: [Codec: CodecRelay]
    /// The codecs of the received media.
    let codecs = IncomingCodecs()
    /// The maximum length of a frame in bytes, several times that of a keyframe of 4096 × 2304 at the best
    /// quality.
    private static let longestFrame = 16 << 20
    /// Whether the first video frame is reported when it is depayloaded; otherwise, the session reports
    /// it when it is decoded for the window.
    private let reportsVideoFrames: Bool
    private let taken = Mutex(Taken())
    private let outputs = Mutex<[Codec: AppSink]>([:])
    private let internals: RTPInternals
    /// The minimum latency of the jitter buffers, in milliseconds.
    private let minimum: Int
    /// Emits a media kind when a retransmission of this kind is requested for the first time; for a single consumer.
    let firstLosses: AsyncStream<MediaKind>
    private let lossContinuation: AsyncStream<MediaKind>.Continuation
    private let reception = Mutex(Reception())
    /// The times at which received frames are due.
    let playout: Playout

    /// The streams that are depayloaded.
    private struct Taken {
        /// The SSRC of the stream of each kind.
        var ssrcs: [MediaKind: UInt32] = [:]
        var isClosed = false
        /// The number of pads of each kind; each pad has a depayloader with its own memory.
        private var pads: [MediaKind: Int] = [:]
        /// The maximum number of pads of a kind, enough for the packetization modes of H.264 and the other codecs.
        private static let mostPads = 6

        /// Returns whether to accept a stream: the first of its kind, or the same one with another payload
        /// type.
        mutating func accept(_ kind: MediaKind, _ ssrc: UInt32) -> Bool {
            guard !isClosed, pads[kind, default: 0] < Self.mostPads else { return false }
            if ssrcs[kind] == nil { ssrcs[kind] = ssrc }
            guard ssrcs[kind] == ssrc else { return false }
            pads[kind, default: 0] += 1
            return true
        }
    }

    /// The state of retransmission and jitter buffering for each kind.
    private struct Reception {
        var retransmitted: Set<MediaKind> = []
        var ssrcs: [MediaKind: UInt32] = [:]
        var delays: [MediaKind: PlayoutDelay] = [:]
        var lost: [MediaKind: (packets: Int, lost: Int)] = [:]
        var keyframeRequests = 0
        var keyframeWait = KeyframeWait()

        /// Computes the new settings of the jitter buffer of this kind from the measurements `inbound`.
        mutating func follow(
            _ inbound: WebRTCStatistics.Inbound,
            _ kind: MediaKind,
            roundTrip: Double?,
            packets: Int,
            minimum: Int,
            at now: Double
        ) -> (delay: Int?, held: Int, retries: (timeout: Int, maximum: Int)?) {
            let loss = loss(kind, packets: packets, inbound)
            let retransmission = PlayoutDelay.Retransmission(roundTrip: roundTrip, loss: loss)
            let isOn = retransmitted.contains(kind)
            var known = delays[kind, default: PlayoutDelay(minimum: minimum)]
            let delay = known.update(
                jitter: inbound.jitter,
                retransmission: isOn ? retransmission : nil,
                at: now
            )
            let held = known.held(jitter: inbound.jitter, isLossy: isOn && loss > 0, at: now)
            delays[kind] = known
            return (delay, held, isOn ? retransmission.retries : nil)
        }

        /// Returns the share of packets lost since the last call.
        mutating func loss(_ kind: MediaKind, packets: Int, _ inbound: WebRTCStatistics.Inbound) -> Double {
            let before = lost[kind] ?? (0, 0)
            lost[kind] = (packets, inbound.packetsLost)
            let missed = max(0, inbound.packetsLost - before.lost)
            let expected = max(0, packets - before.packets) + missed
            return expected > 0 ? Double(missed) / Double(expected) : 0
        }
    }

    /// Creates the tracks of an attempt and reads a depayloader template for each codec.
    ///
    /// - Throws: `MediaFailure.pipeline` if a template is missing.
    init(
        pipeline: Pipeline,
        internals: RTPInternals,
        counters: TrafficCounters,
        library: PipelineLibrary,
        eventContinuation: AsyncStream<MediaEvent>.Continuation,
        minimumDelay: Int,
        isShown: Bool
    ) throws {
        minimum = minimumDelay
        playout = Playout(delay: minimumDelay)
        (firstLosses, lossContinuation) = AsyncStream.makeStream()
        reportsVideoFrames = !isShown
        self.pipeline = WeakPipeline(pipeline)
        self.internals = internals
        self.counters = counters
        self.eventContinuation = eventContinuation
        var descriptions: [Codec: String] = [:]
        for codec in Codec.allCases {
            descriptions[codec] = try library.description("depayloaders/\(codec.pipelineName)")
        }
        self.descriptions = descriptions
        // Audio is not buffered, because a delay at the start would also delay all later audio.
        relays = Dictionary(
            uniqueKeysWithValues: Codec.allCases.map { ($0, CodecRelay(holds: $0.kind == .video)) }
        )
    }

    func hub(for codec: Codec) -> SampleHub { relays[codec]?.hub ?? SampleHub() }

    /// Selects the codec whose stream is passed to the consumers of its media kind.
    func follow(_ codec: Codec) {
        for (other, relay) in relays where other.kind == codec.kind { relay.follow(other == codec) }
    }

    /// Requests a keyframe from the peer (RFC 4585 §6.3.1) if video is being received.
    func requestKeyframe() {
        guard let codec = codecs.current[.video] else { return }
        outputs.withLock { $0[codec] }?.requestKeyframe()
    }

    /// Depayloads the stream of a pad if it is the first of its kind, in any supported codec; otherwise
    /// discards it.
    ///
    /// Called in the handler of the signal `pad-added`, so that no packet is lost.
    func accept(_ pad: Pad) {
        let caps = pad.caps
        let codec = caps?.string("encoding-name").flatMap(Codec.init(encodingName:))
        guard let codec, let description = descriptions[codec], let ssrc = caps?.uint("ssrc"),
            taken.withLock({ $0.accept(codec.kind, ssrc) })
        else {
            return discard(pad)
        }
        do {
            let depayloading = try Bin.parsing(description)
            guard let output = depayloading.element(named: "output") else {
                throw GStreamerError.description("it lacks an appsink “output”")
            }
            identified(codec.kind, ssrc)
            pad.onForceKeyUnit { [weak self] in self?.reception.withLock { $0.keyframeRequests += 1 } }
            if codec.kind == .video, let output = depayloading.element(named: "depayloader")?.pad("src") {
                pad.limitFrames(to: Self.longestFrame)
                pad.limitStored(to: 4 * Self.longestFrame, until: output, hasUnits: codec == .h264)
                if codec == .h264 { output.dropTornKeyframes() }
                // No recorder can start with a frame whose width or height is 0.
                output.filter(formats: { $0.int("width") != 0 && $0.int("height") != 0 }) { $0 }
            }
            if codec == .opus { output.pad("sink")?.dropInvalidOpus() }
            let sink = AppSink(output)
            count(codec, at: pad, sink.hub)
            outputs.withLock { $0[codec] = sink }
            guard pipeline.append(depayloading, to: pad) else {
                throw GStreamerError.description("it cannot be linked to webrtcbin")
            }
        } catch {
            let name = "depayloaders/\(codec.pipelineName)"
            eventContinuation.yield(.failed(.local(.pipeline(element: name, message: "\(error)"))))
            discard(pad)
        }
    }

    private func identified(_ kind: MediaKind, _ ssrc: UInt32) {
        counters.identified(kind, ssrc: ssrc)
        let (isKnown, isRetransmitted) = reception.withLock { reception in
            let former = reception.ssrcs.updateValue(ssrc, forKey: kind)
            return (former == ssrc, reception.retransmitted.contains(kind))
        }
        guard !isKnown, let buffer = internals.jitterBuffer(ssrc) else { return }
        buffer.set(retransmission: isRetransmitted)
        guard isRetransmitted else { return }
        expectLoss(of: kind, in: buffer)
        let first = FirstOccurrence { [lossContinuation] in lossContinuation.yield(kind) }
        buffer.onRetransmissionRequest { first.happened() }
    }

    private func count(_ codec: Codec, at pad: Pad, _ hub: SampleHub) {
        let kind = codec.kind
        pad.onBuffer { [counters, eventContinuation] bytes in
            if counters.received(kind, bytes: bytes) { eventContinuation.yield(.firstPacket(kind)) }
        }
        if let relay = relays[codec] {
            _ = hub.attach { relay.pass($0.timed(near: MediaClock.shared.now)) }
        }
        _ = hub.attach(fromKeyframe: kind == .video) {
            [codecs, counters, eventContinuation, playout, reports = reportsVideoFrames] sample in
            codecs.received(codec)
            let isFirst = counters.receivedFrame(
                kind,
                width: sample.caps.int("width") ?? 0,
                height: sample.caps.int("height") ?? 0,
                at: playout.due(sample, kind)
            )
            if isFirst, kind == .audio || reports { eventContinuation.yield(.firstFrame(kind)) }
        }
    }

    /// Sets whether the retransmission of lost packets of this kind is requested; must be called before packets arrive.
    func setRetransmission(_ isOn: Bool, _ kind: MediaKind) {
        reception.withLock { reception in
            if isOn { reception.retransmitted.insert(kind) } else { reception.retransmitted.remove(kind) }
        }
    }

    /// Increases the jitter buffer's latency, and the playout delay of video, to allow time for
    /// retransmissions.
    ///
    /// It must not be called on the jitter buffer's own thread, because that thread holds the buffer's lock
    /// while it requests a packet.
    func holdBack(_ kind: MediaKind) {
        guard let ssrc = reception.withLock({ $0.ssrcs[kind] }), let buffer = internals.jitterBuffer(ssrc)
        else { return }
        expectLoss(of: kind, in: buffer)
        if kind == .video { playout.set(delay: buffer.latency) }
    }

    /// Sets the jitter buffer's latency to the maximum until the path has been measured.
    private func expectLoss(of kind: MediaKind, in buffer: JitterBuffer) {
        let delay = reception.withLock {
            $0.delays[kind, default: PlayoutDelay(minimum: minimum)].expectLoss()
        }
        buffer.set(latency: delay)
    }

    /// Repeats a keyframe request if packets arrive but no frames, because the request or the keyframe may be
    /// lost.
    ///
    /// It is to be called every half second.
    func repeatKeyframeRequest() {
        guard let video = counters.snapshot.received[.video] else { return }
        let isDue = reception.withLock {
            $0.keyframeWait.isDue(packets: video.packets, frames: video.frames)
        }
        if isDue { requestKeyframe() }
    }

    /// Adapts the latency of the jitter buffers to the measured path.
    func adaptDelay(to measured: WebRTCStatistics, at now: Double) {
        let received = counters.snapshot.received
        for kind in MediaKind.allCases {
            let packets = received[kind]?.packets ?? 0
            guard let ssrc = reception.withLock({ $0.ssrcs[kind] }),
                let inbound = measured.inbound.first(where: { $0.ssrc == ssrc }),
                let buffer = internals.jitterBuffer(ssrc)
            else { continue }
            // RTCP reports the round trip to senders only.
            let roundTrip = measured.roundTripTime ?? buffer.roundTrip
            let change = reception.withLock {
                $0.follow(inbound, kind, roundTrip: roundTrip, packets: packets, minimum: minimum, at: now)
            }
            if let delay = change.delay { buffer.set(latency: delay) }
            if kind == .video { playout.set(delay: change.held) }
            if let retries = change.retries {
                buffer.set(retryTimeout: retries.timeout)
                buffer.set(maximumRetries: retries.maximum)
            }
        }
    }

    /// Returns the repair statistics of this kind since the connection began.
    func repairs(_ kind: MediaKind) -> Repairs {
        let (ssrc, requests) = reception.withLock { ($0.ssrcs[kind], $0.keyframeRequests) }
        let buffer = ssrc.flatMap(internals.jitterBuffer)
        let (requested, received) = buffer?.retransmissions ?? (0, 0)
        return Repairs(
            nack: requested,
            retransmitted: received,
            pli: kind == .video ? requests : 0,
            delayMs: buffer?.latency ?? 0
        )
    }

    /// The numbers of requested and received retransmissions and of requested keyframes, and the jitter
    /// buffer's latency.
    struct Repairs: Hashable, Sendable {
        var nack = 0
        var retransmitted = 0
        var pli = 0
        var delayMs = 0
    }

    /// Rejects all further streams.
    func close() {
        taken.withLock { $0.isClosed = true }
        lossContinuation.finish()
        codecs.finish()
    }

    /// Discards the packets of a stream; if they were not consumed, they would block the other streams.
    private func discard(_ pad: Pad) {
        guard let sink = try? Element(factory: "fakesink") else { return }
        sink.set("sync", false)
        sink.set("async", false)
        pipeline.append(sink, to: pad)
    }
}
