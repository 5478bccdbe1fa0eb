internal import CallCore
internal import GStreamerKit
internal import Synchronization

/// The media that webrtcbin delivers in one attempt, depayloaded into a hub per codec.
final class IncomingTracks: Sendable {
    private let pipeline: WeakPipeline
    private let counters: TrafficCounters
    private let descriptions: [Codec: String]
    private let news: AsyncStream<MediaEvent>.Continuation
    private let relays: [Codec: CodecRelay]
    /// What comes.
    let codecs = IncomingCodecs()
    /// Whether a frame counts when it is depayloaded; else the window tells of the first one shown.
    private let reportsVideoFrames: Bool
    private let taken = Mutex(Taken())
    private let outputs = Mutex<[Codec: AppSink]>([:])
    private let internals: RTPInternals
    /// Of jitter buffers, in milliseconds.
    private let least: Int
    /// The kinds of which a first packet is missing; single consumer.
    let firstLosses: AsyncStream<MediaKind>
    private let lossNews: AsyncStream<MediaKind>.Continuation
    private let reception = Mutex(Reception())
    /// When pictures are due.
    let playout: Playout

    /// What is depayloaded.
    private struct Taken {
        /// Of the stream of each kind.
        var ssrcs: [MediaKind: UInt32] = [:]
        var isClosed = false

        /// Whether a stream is taken: the first of its kind, or that one again under another payload type.
        mutating func take(_ kind: MediaKind, _ ssrc: UInt32) -> Bool {
            guard !isClosed else { return false }
            if ssrcs[kind] == nil { ssrcs[kind] = ssrc }
            return ssrcs[kind] == ssrc
        }
    }

    /// What holds for the packets of each kind before they are put in order.
    private struct Reception {
        var retransmitted: Set<MediaKind> = []
        var ssrcs: [MediaKind: UInt32] = [:]
        var delays: [MediaKind: PlayoutDelay] = [:]
        var lost: [MediaKind: (packets: Int, lost: Int)] = [:]
        var keyframeRequests = 0
        var keyframeWait = KeyframeWait()

        /// What to set at the jitter buffer of this kind, of which `inbound` was measured.
        mutating func follow(
            _ inbound: WebRTCStatistics.Inbound,
            _ kind: MediaKind,
            roundTrip: Double?,
            packets: Int,
            least: Int,
            at now: Double
        ) -> (delay: Int?, held: Int, retries: (timeout: Int, most: Int)?) {
            let loss = loss(kind, packets: packets, inbound)
            let retransmission = PlayoutDelay.Retransmission(roundTrip: roundTrip, loss: loss)
            let isOn = retransmitted.contains(kind)
            var known = delays[kind, default: PlayoutDelay(least: least)]
            let delay = known.update(
                jitter: inbound.jitter,
                retransmission: isOn ? retransmission : nil,
                at: now
            )
            let held = known.held(jitter: inbound.jitter, isLossy: isOn && loss > 0, at: now)
            delays[kind] = known
            return (delay, held, isOn ? retransmission.retries : nil)
        }

        /// The share of packets that did not come since the last call.
        mutating func loss(_ kind: MediaKind, packets: Int, _ inbound: WebRTCStatistics.Inbound) -> Double {
            let before = lost[kind] ?? (0, 0)
            lost[kind] = (packets, inbound.packetsLost)
            let missed = max(0, inbound.packetsLost - before.lost)
            let expected = max(0, packets - before.packets) + missed
            return expected > 0 ? Double(missed) / Double(expected) : 0
        }
    }

    /// - Throws: `MediaFailure.pipeline` where a description is missing.
    init(
        pipeline: Pipeline,
        internals: RTPInternals,
        counters: TrafficCounters,
        library: PipelineLibrary,
        news: AsyncStream<MediaEvent>.Continuation,
        leastDelay: Int,
        isShown: Bool
    ) throws {
        least = leastDelay
        playout = Playout(delay: leastDelay)
        (firstLosses, lossNews) = AsyncStream.makeStream()
        reportsVideoFrames = !isShown
        self.pipeline = WeakPipeline(pipeline)
        self.internals = internals
        self.counters = counters
        self.news = news
        var descriptions: [Codec: String] = [:]
        for codec in Codec.allCases {
            descriptions[codec] = try library.description("depayloaders/\(codec.pipelineName)")
        }
        self.descriptions = descriptions
        // Sound that is late would be late for good where it is heard.
        relays = Dictionary(
            uniqueKeysWithValues: Codec.allCases.map { ($0, CodecRelay(holds: $0.kind == .video)) }
        )
    }

    func hub(for codec: Codec) -> SampleHub { relays[codec]?.hub ?? SampleHub() }

    /// Says that whoever takes this kind takes it in this codec.
    func follow(_ codec: Codec) {
        for (other, relay) in relays where other.kind == codec.kind { relay.follow(other == codec) }
    }

    /// Asks the peer for a keyframe (RFC 4585 §6.3.1), where its pictures come in.
    func requestKeyframe() {
        guard let codec = codecs.current[.video] else { return }
        outputs.withLock { $0[codec] }?.requestKeyframe()
    }

    /// Takes the first stream of each kind, in every codec in which it comes; runs inside `pad-added`, so that no
    /// packet is lost.
    func accept(_ pad: Pad) {
        let caps = pad.caps
        let codec = caps?.string("encoding-name").flatMap(Codec.init(encodingName:))
        guard let codec, let description = descriptions[codec], let ssrc = caps?.uint("ssrc"),
            taken.withLock({ $0.take(codec.kind, ssrc) })
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
            if codec == .h264 {
                depayloading.element(named: "depayloader")?.pad("src")?.keepBackTornKeyframes()
            }
            let sink = AppSink(output)
            count(codec, at: pad, sink.hub)
            outputs.withLock { $0[codec] = sink }
            guard pipeline.append(depayloading, to: pad) else {
                throw GStreamerError.description("it does not fit webrtcbin")
            }
        } catch {
            let name = "depayloaders/\(codec.pipelineName)"
            news.yield(.failed(.pipeline(element: name, message: "\(error)")))
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
        let first = FirstOccurrence { [lossNews] in lossNews.yield(kind) }
        buffer.onRetransmissionRequest { first.happened() }
    }

    private func count(_ codec: Codec, at pad: Pad, _ hub: SampleHub) {
        let kind = codec.kind
        pad.onBuffer { [counters, news] bytes in
            if counters.received(kind, bytes: bytes) { news.yield(.firstPacket(kind)) }
        }
        if let relay = relays[codec] { _ = hub.attach { relay.pass($0) } }
        _ = hub.attach(fromKeyframe: kind == .video) {
            [codecs, counters, news, playout, reports = reportsVideoFrames] sample in
            codecs.received(codec)
            let isFirst = counters.receivedFrame(
                kind,
                width: sample.caps.int("width") ?? 0,
                height: sample.caps.int("height") ?? 0,
                at: playout.due(sample, kind)
            )
            if isFirst, kind == .audio || reports { news.yield(.firstFrame(kind)) }
        }
    }

    /// Whether packets of this kind that do not come are asked for again; before they come.
    func setRetransmission(_ isOn: Bool, _ kind: MediaKind) {
        reception.withLock { reception in
            if isOn { reception.retransmitted.insert(kind) } else { reception.retransmitted.remove(kind) }
        }
    }

    /// Holds pictures back while packets are asked for again.
    ///
    /// Never on the jitter buffer's own thread, which holds its lock where it asks for a packet.
    func holdBack(_ kind: MediaKind) {
        guard let ssrc = reception.withLock({ $0.ssrcs[kind] }), let buffer = internals.jitterBuffer(ssrc)
        else { return }
        expectLoss(of: kind, in: buffer)
        if kind == .video { playout.set(delay: buffer.latency) }
    }

    /// Makes the jitter buffer wait as long as may be needed, until the path is known.
    private func expectLoss(of kind: MediaKind, in buffer: JitterBuffer) {
        let delay = reception.withLock {
            $0.delays[kind, default: PlayoutDelay(least: least)].expectLoss()
        }
        buffer.set(latency: delay)
    }

    /// Asks for a keyframe where packets come and no picture, because a request may be lost, or what it brought;
    /// to be called every half second.
    func repeatKeyframeRequest() {
        guard let video = counters.snapshot.received[.video] else { return }
        let isDue = reception.withLock {
            $0.keyframeWait.isDue(packets: video.packets, frames: video.frames)
        }
        if isDue { requestKeyframe() }
    }

    /// Makes the jitter buffers wait as long as the measured path needs.
    func adaptDelay(to measured: WebRTCStatistics, at now: Double) {
        let received = counters.snapshot.received
        for kind in MediaKind.allCases {
            let packets = received[kind]?.packets ?? 0
            guard let ssrc = reception.withLock({ $0.ssrcs[kind] }),
                let inbound = measured.inbound.first(where: { $0.ssrc == ssrc }),
                let buffer = internals.jitterBuffer(ssrc)
            else { continue }
            // RTCP tells the round trip only to those who send.
            let roundTrip = measured.roundTripTime ?? buffer.roundTrip
            let change = reception.withLock {
                $0.follow(inbound, kind, roundTrip: roundTrip, packets: packets, least: least, at: now)
            }
            if let delay = change.delay { buffer.set(latency: delay) }
            if kind == .video { playout.set(delay: change.held) }
            if let retries = change.retries {
                buffer.set(retryTimeout: retries.timeout)
                buffer.set(mostRetries: retries.most)
            }
        }
    }

    /// What it took to get the packets of this kind, since the connection began.
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

    /// Packets asked for again and those that then came, keyframes asked for, and the jitter buffer's length.
    struct Repairs: Hashable, Sendable {
        var nack = 0
        var retransmitted = 0
        var pli = 0
        var delayMs = 0
    }

    /// Nothing more is taken.
    func close() {
        taken.withLock { $0.isClosed = true }
        lossNews.finish()
        codecs.finish()
    }

    /// A stream that nobody here understands must still flow, or it blocks its neighbours.
    private func discard(_ pad: Pad) {
        guard let sink = try? Element(factory: "fakesink") else { return }
        sink.set("sync", false)
        sink.set("async", false)
        pipeline.append(sink, to: pad)
    }
}
