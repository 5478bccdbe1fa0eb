internal import Basics
internal import CallCore
internal import GLibKit
internal import GStreamerKit
internal import MediaKit

/// The media of one attempt: a webrtcbin in its own pipeline, which is discarded when the attempt ends.
@MediaActor
final class LiveMediaSession: MediaSession {
    nonisolated let events: AsyncStream<MediaEvent>

    let service: LiveMediaService
    let outgoingMedia: OutgoingMedia
    let pipeline: Pipeline
    let bin: WebRTCBin
    let eventContinuation: AsyncStream<MediaEvent>.Continuation
    let counters = TrafficCounters()
    let plan: CodecPlan
    let scope: MediaScope

    let incoming: IncomingTracks
    let certificateCheck: PeerCertificateCheck
    let adaptation: NetworkAdaptation
    /// The peer's transport-wide feedback about sent packets, for `adaptation`.
    let feedback = Mailbox<[TransportPacket]>(capacity: 64)
    /// The sink pad of webrtcbin for each m-line, by index.
    var pads: [Int: Pad] = [:]
    /// The indices of the m-lines that we send on.
    var sending: Set<Int> = []
    /// The codec in which each kind is received, once its receivers are set up.
    var receiving: [MediaKind: Codec] = [:]
    /// Reports the first video frame that is shown in the window.
    let firstFrame: FirstOccurrence
    var remote: SessionDescription?
    /// The peer's offer, nil for a caller; `remote` contains only its sections for audio and video.
    var theirOffer: MediaOffer?
    /// The outline of the peer's last offer that was passed to webrtcbin; nil before the first one, and for a caller.
    var outline: SectionOutline?
    /// The minimum time between two answers.
    private static let answerInterval = Duration.milliseconds(250)
    /// The maximum number of addresses from which a peer may send without having signaled them.
    private nonisolated static let mostAddresses = 512
    /// The time of the last answer or refusal; nil before the first one, and for a caller.
    private var lastAnswer: ContinuousClock.Instant?
    /// The SSRCs in the peer's descriptions so far; GStreamer stores them as names that it never frees.
    private var knownSources: Set<Substring> = []
    /// The outgoing tracks by m-line index; they persist through renegotiation.
    var outgoing: [Int: OutgoingTrack] = [:]
    /// The decoders of the received media.
    var decoders: [MediaKind: any MediaDecoder] = [:]
    /// The negotiated codecs by m-line index.
    var choices: [Int: CodecPlan.Choice] = [:]
    var watchers: [Task<Void, Never>] = []
    var keyframeRequestMonitor = KeyframeRequestMonitor()
    var isConnected = false
    /// The time at which media was connected; nil before.
    var connectedSince: ContinuousClock.Instant?
    /// The duration for which media was connected; nil until the session ends, or if it was never connected.
    var connectedSpan: Duration?
    var isWatchedForStall = false
    var isWatchedForAddress = false
    var areRelaysWatched = false
    /// The TURN servers that may provide relay candidates.
    let relays: [ICEServerList.TURN]
    /// Whether one of our candidates is a relay candidate.
    var hasRelay = false
    /// The base addresses of our candidates (RFC 8445 §5.1.1).
    var bases = CandidateBases()
    /// Whether this host had an address other than loopback when the session was created.
    let gathersBeyondLoopback: Bool
    /// The IP addresses of this host when gathering began, without loopback.
    private(set) var knownAddresses: Set<String> = []
    /// The number of lost packets according to the last statistics.
    var lost = 0
    /// The task that closes the session; once it is set, no operation may start.
    var closing: Task<Void, Never>?
    /// The functions that cancel the running operations on session descriptions.
    var operations: [Int: @Sendable () -> Void] = [:]
    private var nextOperation = 0

    /// The SSRCs of our packets, which each session description declares so that browsers recognize
    /// retransmissions.
    var ssrcs: [MediaKind: UInt32] { service.ssrcs }

    /// The kind of each m-line of our offer.
    private var offered: [Int: MediaKind] = [:]
    private var offer = ""
    var description: SessionDescription?
    var earlyCandidates: [WebRTCBin.LocalCandidate] = []
    /// The local candidates that were processed, so that duplicates are ignored.
    var announced: Set<WebRTCBin.LocalCandidate> = []
    /// The peer's candidates received before its session description, which maps `sdpMid` to m-lines.
    var earlyRemoteCandidates: [ICECandidate] = []
    /// The peer's candidates that were passed to webrtcbin, each with its m-line, so that duplicates are ignored.
    var remoteCandidates: Set<String> = []
    /// Whether a BUNDLE group gives all sections the same transport.
    private(set) var isBundled = false
    /// The number of the peer's mDNS candidates for which a name lookup was started.
    var namedCandidates = 0

    /// Creates the webrtcbin of an attempt and starts to observe its events.
    ///
    /// - Throws: `GStreamerError`, `CallMediaFailure` if no local address may be used, or `MediaFailure` if a
    ///   template is missing.
    init(service: LiveMediaService, outgoingMedia: OutgoingMedia, servers: SessionServers = SessionServers())
        throws
    {
        self.service = service
        self.outgoingMedia = outgoingMedia
        let configuration = service.configuration
        var plan = CodecPlan(codecs: configuration.codecs)
        plan.passthrough = outgoingMedia.passthrough
        plan.prefersReady = configuration.prefersReadyCodecs
        plan.level = max(outgoingMedia.level ?? CodecPlan.minimumLevel, CodecPlan.minimumLevel)
        self.plan = plan
        scope = configuration.scope
        (events, eventContinuation) = AsyncStream.makeStream(of: MediaEvent.self)
        firstFrame = FirstOccurrence { [eventContinuation] in eventContinuation.yield(.firstFrame(.video)) }
        adaptation = NetworkAdaptation(outgoingMedia: outgoingMedia, bounds: configuration.bitrates)
        let check = PeerCertificateCheck { [eventContinuation] in eventContinuation.yield(.failed($0)) }
        certificateCheck = check
        pipeline = try Pipeline(name: "attempt")
        bin = try WebRTCBin(
            latencyMs: configuration.latencyMs,
            correctsErrors: configuration.correctsErrors
        )
        incoming = try IncomingTracks(
            pipeline: pipeline,
            internals: bin.internals,
            counters: counters,
            library: configuration.library,
            eventContinuation: eventContinuation,
            minimumDelay: configuration.latencyMs,
            isShown: configuration.window != nil
        )
        gathersBeyondLoopback = HostAddresses.reachBeyondLoopback
        relays = servers.relays
        try gather(servers)
        if let pem = service.certificate?.pem { bin.useCertificate(pem: pem) }
        bin.installGates { [eventContinuation] in
            CertificateGate(
                judge: check.accepts(pem:),
                refuse: { eventContinuation.yield(.failed(.dtlsFailed(detail: $0))) }
            )
        }
        bin.internals.onTransportFeedback { [feedback] in feedback.send($0) }
        bin.onTransportPacket { [counters] _ in counters.transportPacket() }
        bin.onPadAdded { [incoming] in incoming.accept($0) }
        bin.onDiscoveredAddresses(beyond: Self.mostAddresses) { [eventContinuation] in
            eventContinuation.yield(
                .failed(.iceFailed(detail: "the peer sends from more than \(Self.mostAddresses) addresses"))
            )
        }
        pipeline.add(bin)
        try pipeline.setState(.playing)
        watch()
    }

    // MARK: Session descriptions

    @MediaActor func createOffer() async throws -> String {
        try await describing { [self] in
            ICEPacing.shared.expect(self)
            offer = try await describeOffer()
            try await setLocal(.offer, offer)
            return offer
        }
    }

    /// Creates an unused offer, because the first offer of a process is slow; gathers no candidates.
    func warmUp() async throws {
        _ = try await describing { [self] in try await describeOffer() }
    }

    private func describeOffer() async throws -> String {
        for kind in [MediaKind.video, .audio] where scope.kinds.contains(kind) {
            let (index, sends) = (offered.count, outgoingMedia.has(kind))
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

    @MediaActor func createAnswer(to offer: SessionOffer) async throws -> String {
        try await describing { [self] in
            // All calls share this actor, and creating an answer occupies it for milliseconds.
            if let lastAnswer { try await ContinuousClock().sleep(until: lastAnswer + Self.answerInterval) }
            defer { lastAnswer = .now }
            let text = offer.sdp
            let offer = try MediaOffer(offer)
            let remote = offer.description
            let next = try SectionOutline(of: offer.text)
            if let objection = outline?.objection(to: next) {
                throw CallMediaFailure.badDescription(objection)
            }
            let settled = try settle(remote)
            try certificateCheck.expect(remote)
            let readable = ReadableDescription.text(
                of: offer.text,
                sourcesOf: sources(in: settled),
                known: &knownSources,
                correctsErrors: service.configuration.correctsErrors
            )
            (self.remote, theirOffer, outline) = (remote, offer, next)
            isBundled = next.tagged != nil
            paceChecks(with: remote)
            try await setRemote(.offer, readable)
            addCandidates(of: text, tagged: next.tagged)
            addEarlyCandidates()
            for (index, choice) in settled.sorted(by: { $0.key < $1.key }) {
                try answer(remote.media[index], at: index, with: choice)
            }
            let created = corrected(try await bin.createAnswer())
            try check(created, to: next, accepting: settled.keys)
            // webrtcbin also accepts sections with unknown codecs and further sections of the same kind.
            let answer = SectionDirections.inactivating(allBut: Set(settled.keys), in: created)
            try await setLocal(.answer, answer)
            try await prepareTracks(settled)
            return offer.completed(answer)
        }
    }

    private func answer(
        _ section: MediaSection,
        at index: Int,
        with choice: CodecPlan.Choice
    ) throws {
        guard let pad = pads[index] ?? bin.requestPad("sink_\(index)") else { return }
        pads[index] = pad
        let sends = section.receives && outgoingMedia.has(choice.codec.kind)
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

    @MediaActor func apply(answer: SignaledDescription) async throws {
        try await describing { [self] in
            let remote = try description(of: answer)
            let outline = try SectionOutline(of: answer.sdp)
            try certificateCheck.expect(remote)
            self.remote = remote
            var settled: [Int: CodecPlan.Choice] = [:]
            for (index, section) in remote.media.enumerated() {
                guard let kind = offered[index] else { continue }
                guard section.isRejected || section.mediaKind ?? kind == kind else {
                    throw CallMediaFailure.badDescription(
                        "section \(index) was offered for another kind of media"
                    )
                }
                if !section.receives { sending.remove(index) }
                guard let choice = plan.answered(in: section, kind: kind) else { continue }
                settled[index] = choice
                let features = SectionFeatures(
                    of: section,
                    payloadType: choice.payloadType,
                    ssrc: sending.contains(index) ? ssrcs[kind] : nil
                )
                incoming.setRetransmission(features.hasNack, kind)
                // With all offered formats, a payloader would use the first one of its codec, even if the
                // answer selects another one.
                let caps = features.added(to: CodecPlan.answerCaps(choice))
                pads[index].flatMap(Transceiver.init)?.set(codecs: try Caps(caps))
            }
            guard !settled.isEmpty else { throw nothingSettled(with: remote) }
            paceChecks(with: remote)
            // Media may arrive as soon as the remote description is set, so the tracks must be ready.
            try await prepareTracks(settled)
            let accepted = OfferedFormats.added(from: offer, to: answer.sdp, in: Set(settled.keys))
            let readable = ReadableDescription.text(
                of: accepted,
                sourcesOf: Set(settled.keys),
                known: &knownSources,
                correctsErrors: service.configuration.correctsErrors
            )
            try await setRemote(.answer, readable)
            isBundled = outline.tagged != nil
            addCandidates(of: answer.sdp, tagged: outline.tagged)
            addEarlyCandidates()
        }
    }

    /// Runs `body`, which is cancelled if the calling task is cancelled or the session is closed.
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
        } catch is CancellationError { throw CancellationError() } catch { throw CallMediaFailure(error) }
    }

    private func description(of answer: SignaledDescription) throws -> SessionDescription {
        do { return try answer.description() } catch {
            throw CallMediaFailure.badDescription("\(error)")
        }
    }

    private func setRemote(_ type: WebRTCBin.DescriptionType, _ sdp: String) async throws {
        do { try await bin.setRemote(type, sdp) } catch GStreamerError.badSDP {
            throw CallMediaFailure.badDescription("it is not a session description")
        } catch GStreamerError.rejected(let reason) { throw CallMediaFailure.badDescription(reason) }
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
