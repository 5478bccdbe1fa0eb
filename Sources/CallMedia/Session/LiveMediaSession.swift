internal import CallCore
internal import GStreamerKit

/// One attempt: one webrtcbin in a pipeline of its own, thrown away whole.
@MediaActor
final class LiveMediaSession: MediaSession {
    nonisolated let events: AsyncStream<MediaEvent>

    let service: LiveMediaService
    let outbox: OutgoingMedia
    let pipeline: Pipeline
    let bin: WebRTCBin
    let news: AsyncStream<MediaEvent>.Continuation
    let counters = TrafficCounters()
    let plan: CodecPlan
    let scope: MediaScope

    let incoming: IncomingTracks
    let certificateCheck: PeerCertificateCheck
    let adaptation: NetworkAdaptation
    /// What the peer tells of the packets that it got, for `adaptation`.
    let feedback: AsyncStream<[TransportPacket]>
    let feedbackNews: AsyncStream<[TransportPacket]>.Continuation
    /// The sink pad of each m-line.
    var pads: [Int: Pad] = [:]
    /// The m-lines that we send on.
    var sending: Set<Int> = []
    /// The codecs in which the peer sends each kind, as far as they are laid.
    var receiving: [MediaKind: Codec] = [:]
    /// Tells of the first frame that is shown.
    let firstFrame: FirstOccurrence
    var remote: SessionDescription?
    /// By m-line; what is laid stays through further negotiations.
    var outgoing: [Int: OutgoingTrack] = [:]
    var viewers: [VideoRenderer] = []
    /// By m-line.
    var choices: [Int: CodecPlan.Choice] = [:]
    var watchers: [Task<Void, Never>] = []
    var keyframeWishes = KeyframeRequestMonitor()
    var isConnected = false
    /// The time at which media was connected.
    var connectedSince: ContinuousClock.Instant?
    /// The time for which media was connected; nil until the end, and where it never was.
    var connectedSpan: Duration?
    var isWatchedForStall = false
    var isWatchedForAddress = false
    var areRelaysWatched = false
    /// The TURN servers that may give a relay.
    let relays: [ICEServerList.TURN]
    /// Whether one of our candidates is a relayed one.
    var hasRelay = false
    /// What our candidates are sent from.
    var bases = CandidateBases()
    /// Whether this machine had an address for others when the session was made.
    let gathersBeyondLoopback: Bool
    /// This machine's addresses when candidates began to be gathered, without loopback.
    private(set) var knownAddresses: Set<String> = []
    /// Packets that never arrived, as of the last statistics.
    var lost = 0
    /// Set once the session is being closed; from then on nothing new may begin.
    var closing: Task<Void, Never>?
    /// What cancels the descriptions that are being worked on.
    var operations: [Int: @Sendable () -> Void] = [:]
    private var nextOperation = 0

    /// What our packets are named by; told in every description, so that browsers find retransmissions.
    let ssrcs = Dictionary(
        uniqueKeysWithValues: MediaKind.allCases.map { ($0, UInt32.random(in: 1...UInt32.max)) }
    )

    /// The kind of each m-line of our offer.
    private var offered: [Int: MediaKind] = [:]
    private var offer = ""
    var description: SessionDescription?
    var earlyCandidates: [WebRTCBin.LocalCandidate] = []
    /// What the peer was told.
    var announced: Set<WebRTCBin.LocalCandidate> = []
    /// Of the peer, before its description told which m-line their `sdpMid` means.
    var earlyRemoteCandidates: [ICECandidate] = []
    /// mDNS names among the peer's candidates, each of which is looked up.
    var namedCandidates = 0

    /// - Throws: `GStreamerError`.
    init(service: LiveMediaService, outbox: OutgoingMedia, servers: SessionServers = SessionServers()) throws
    {
        self.service = service
        self.outbox = outbox
        let configuration = service.configuration
        var plan = CodecPlan(codecs: configuration.codecs)
        plan.passthrough = outbox.passthrough
        plan.prefersReady = configuration.prefersReadyCodecs
        plan.level = max(outbox.level ?? CodecPlan.leastLevel, CodecPlan.leastLevel)
        self.plan = plan
        scope = configuration.scope
        (events, news) = AsyncStream.makeStream(of: MediaEvent.self)
        firstFrame = FirstOccurrence { [news] in news.yield(.firstFrame(.video)) }
        (feedback, feedbackNews) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
        adaptation = NetworkAdaptation(outbox: outbox, bounds: configuration.bitrates)
        let check = PeerCertificateCheck { [news] in news.yield(.failed($0)) }
        certificateCheck = check
        pipeline = try Pipeline(name: "attempt")
        bin = try WebRTCBin(latencyMs: configuration.latencyMs)
        incoming = try IncomingTracks(
            pipeline: pipeline,
            internals: bin.internals,
            counters: counters,
            library: configuration.library,
            news: news,
            leastDelay: configuration.latencyMs,
            isShown: configuration.window != nil
        )
        gathersBeyondLoopback = HostAddresses.reachBeyondLoopback
        relays = servers.relays
        try gather(servers)
        if let pem = service.certificate?.pem { bin.useCertificate(pem: pem) }
        bin.putUp(CertificateGate(judge: check.accepts(pem:), refuse: { check.object($0) }))
        bin.onTransportPacket { [counters] _ in counters.transportPacket() }
        bin.onPadAdded { [incoming] in incoming.accept($0) }
        pipeline.add(bin)
        try pipeline.setState(.playing)
        watch()
    }

    // MARK: Descriptions

    @MediaActor func createOffer() async throws -> String {
        try await describing { [self] in
            offer = try await describeOffer()
            try await setLocal(.offer, offer)
            return offer
        }
    }

    /// Does everything that is slow the first time; nothing is gathered or sent.
    func warmUp() async throws {
        _ = try await describing { [self] in try await describeOffer() }
    }

    private func describeOffer() async throws -> String {
        for kind in [MediaKind.video, .audio] where scope.kinds.contains(kind) {
            let (index, sends) = (offered.count, outbox.has(kind))
            guard sends || scope.receives, let caps = plan.offerCaps(kind),
                let pad = bin.requestPad("sink_\(index)")
            else { continue }
            let transceiver = Transceiver(of: pad)
            let features = SectionFeatures.offered(kind, ssrc: sends ? ssrcs[kind] : nil)
            try apply(features, caps, to: transceiver)
            transceiver?.set(direction: .init(sends: sends, receives: scope.receives))
            pads[index] = pad
            if sends { sending.insert(index) }
            offered[index] = kind
        }
        guard !offered.isEmpty else { throw nothingToOffer }
        return corrected(try await bin.createOffer())
    }

    private func corrected(_ description: String) -> String {
        let single = ICEPacing.proposing(in: DuplicateLines.removed(from: description))
        return service.certificate?.correctingFingerprint(in: single) ?? single
    }

    private func apply(_ features: SectionFeatures, _ caps: String, to transceiver: Transceiver?) throws {
        transceiver?.set(codecs: try Caps(features.added(to: caps)))
        transceiver?.set(nack: features.hasNack)
        guard features.hasNack, let percent = service.configuration.redundancyPercent else { return }
        transceiver?.set(redundancyPercent: percent)
    }

    @MediaActor func createAnswer(to offer: String) async throws -> String {
        try await describing { [self] in
            let remote = try parse(offer)
            let settled = try settle(remote)
            try certificateCheck.expect(remote)
            self.remote = remote
            paceChecks(with: remote)
            try await setRemote(.offer, offer)
            addEarlyCandidates()
            for (index, choice) in settled.sorted(by: { $0.key < $1.key }) {
                try answer(remote.media[index], at: index, with: choice)
            }
            let created = corrected(try await bin.createAnswer())
            // webrtcbin would accept to receive what it does not know, and every further section of a kind.
            let answer = SectionDirections.inactivating(allBut: Set(settled.keys), in: created)
            try await setLocal(.answer, answer)
            try await prepareTracks(settled)
            return answer
        }
    }

    private func answer(
        _ section: MediaSection,
        at index: Int,
        with choice: CodecPlan.Choice
    ) throws {
        guard let pad = pads[index] ?? bin.requestPad("sink_\(index)") else { return }
        pads[index] = pad
        let sends = section.receives && outbox.has(choice.codec.kind)
        let transceiver = Transceiver(of: pad)
        let features = SectionFeatures(
            of: section,
            payloadType: choice.payloadType,
            ssrc: sends ? ssrcs[choice.codec.kind] : nil
        )
        try apply(features, CodecPlan.answerCaps(choice), to: transceiver)
        incoming.setRetransmission(features.hasNack, choice.codec.kind)
        transceiver?.set(direction: .init(sends: sends, receives: section.sends && scope.receives))
        if sends { sending.insert(index) } else { sending.remove(index) }
    }

    @MediaActor func apply(answer: String) async throws {
        try await describing { [self] in
            let remote = try parse(answer)
            try certificateCheck.expect(remote)
            self.remote = remote
            var settled: [Int: CodecPlan.Choice] = [:]
            for (index, section) in remote.media.enumerated() {
                guard let kind = offered[index] else { continue }
                if !section.receives { sending.remove(index) }
                guard let choice = plan.answered(in: section, kind: kind) else { continue }
                settled[index] = choice
                let features = SectionFeatures(
                    of: section,
                    payloadType: choice.payloadType,
                    ssrc: sending.contains(index) ? ssrcs[kind] : nil
                )
                incoming.setRetransmission(features.hasNack, kind)
                // Of all that was offered a payloader would use the first of its codec, whatever was answered.
                let caps = features.added(to: CodecPlan.answerCaps(choice))
                pads[index].flatMap(Transceiver.init)?.set(codecs: try Caps(caps))
            }
            guard !settled.isEmpty else { throw nothingSettled(with: remote) }
            paceChecks(with: remote)
            // Before the peer's description is set, because media may arrive as soon as it is.
            try await prepareTracks(settled)
            let accepted = OfferedFormats.added(from: offer, to: answer, in: Set(settled.keys))
            try await setRemote(.answer, accepted)
            addEarlyCandidates()
        }
    }

    /// Runs `body` until it is done, the caller is cancelled or the session is closed.
    private func describing<Result: Sendable>(
        _ body: @escaping @MediaActor @Sendable () async throws -> Result
    ) async throws -> Result {
        guard closing == nil else { throw CancellationError() }
        let task = Task { try await body() }
        let id = nextOperation
        nextOperation += 1
        operations[id] = { task.cancel() }
        defer { operations[id] = nil }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError { throw CancellationError() } catch { throw MediaFailure(error) }
    }

    private func parse(_ text: String) throws -> SessionDescription {
        do { return try SessionDescription(parsing: text) } catch {
            throw MediaFailure.badDescription("\(error)")
        }
    }

    private func setRemote(_ type: WebRTCBin.DescriptionType, _ sdp: String) async throws {
        do { try await bin.setRemote(type, sdp) } catch GStreamerError.badSDP {
            throw MediaFailure.badDescription("it is no session description")
        } catch GStreamerError.rejected(let reason) { throw MediaFailure.badDescription(reason) }
    }

    private func setLocal(_ type: WebRTCBin.DescriptionType, _ sdp: String) async throws {
        guard let parsed = try? SessionDescription(parsing: sdp) else { throw GStreamerError.badSDP }
        if description == nil, gathersBeyondLoopback {
            knownAddresses = HostAddresses.beyondLoopback(under: service.configuration.addressRule) ?? []
        }
        try await bin.setLocal(type, sdp)
        description = parsed
        watchAddress()
        watchRelays()
        for candidate in earlyCandidates { announce(candidate) }
        earlyCandidates = []
    }
}
