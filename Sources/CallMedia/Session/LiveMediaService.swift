internal import Basics
package import CallCore
package import GStreamerKit
package import MediaKit

/// A GStreamer media service whose source, recordings and window persist across the attempts of a call.
@MediaActor
package final class LiveMediaService: MediaService {
    /// The notices in order, for a single consumer; the stream finishes during `finish()`.
    nonisolated package let notices: AsyncStream<MediaNotice>

    let configuration: MediaConfiguration
    /// The totals of all closed attempts.
    package internal(set) var totals = MediaTotals()
    private(set) var outgoingMedia: OutgoingMedia?
    private(set) var certificate: DTLSCertificate?
    private(set) var recordings: Recordings?
    private(set) var snapshots: SnapshotTaker?
    /// The peer's name, if it is known.
    var peer: String?
    /// The video received from the peer; nil if there is none.
    var remoteVideo: RemoteVideo?
    nonisolated package let recordingPaths: AsyncStream<String?>
    private let recordingPathContinuation: AsyncStream<String?>.Continuation
    nonisolated package let ownMedia: AsyncStream<OwnMedia.Change>
    private let ownMediaContinuation: AsyncStream<OwnMedia.Change>.Continuation
    private let encoders: EncoderSelection
    /// The source that was opened last.
    var opened: SourceOpener.Opened?
    /// The loudspeaker that plays the peer's audio; nil if audio is not played.
    private(set) var loudspeaker: Loudspeaker?
    /// The playback volume in percent.
    private var volume: Int
    let noticeContinuation: AsyncStream<MediaNotice>.Continuation
    /// The failures of source, encoders and recordings, read by `watcher`.
    private let failures: AsyncStream<MediaFailure>
    private let failureContinuation: AsyncStream<MediaFailure>.Continuation
    private var failure: MediaFailure?
    private var watcher: Task<Void, Never>?
    private var endWatcher: Task<Void, Never>?
    private var sessions: [LiveMediaSession] = []
    /// The kinds of outgoing media that are muted (audio) or switched off (video).
    private var closed: Set<MediaKind> = []
    private var preview: VideoRenderer?
    private var preparation: Task<Void, any Error>?
    private var ending: Task<Void, Never>?
    let forwarders: TURNForwarders
    /// The SSRCs of our packets, the same in all sessions: they are part of the names of statistics, which GStreamer
    /// never frees.
    nonisolated let ssrcs = Dictionary(
        uniqueKeysWithValues: MediaKind.allCases.map { ($0, UInt32.random(in: 1...UInt32.max)) }
    )
    /// The warnings that were issued before and are not repeated by later attempts.
    private var complaints: Set<String> = []

    nonisolated package init(configuration: MediaConfiguration) {
        self.configuration = configuration
        volume = configuration.audio.volume
        forwarders = TURNForwarders(authorities: configuration.turnAuthorities)
        (notices, noticeContinuation) = AsyncStream.makeStream(of: MediaNotice.self)
        (failures, failureContinuation) = AsyncStream.makeStream(of: MediaFailure.self)
        (recordingPaths, recordingPathContinuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        recordingPathContinuation.yield(nil)
        (ownMedia, ownMediaContinuation) = AsyncStream.makeStream()
        ownMediaContinuation.yield(.recordsPeer(configuration.recordsPeer))
        encoders = EncoderSelection(library: configuration.library) { [noticeContinuation] in
            noticeContinuation.yield(.warning($0))
        }
    }

    /// Opens the source, creates the DTLS certificate and checks that no plugin is missing.
    ///
    /// Concurrent calls share one preparation. If one of the calling tasks is cancelled, the others start it
    /// again.
    ///
    /// - Throws: `CallMediaFailure`, or `CancellationError` after `finish()` was called.
    @MediaActor package func prepare() async throws {
        while true {
            guard ending == nil else { throw CancellationError() }
            let task = preparation ?? Task { try await open() }
            preparation = task
            do {
                return try await withTaskCancellationHandler {
                    try await task.value
                } onCancel: {
                    task.cancel()
                }
            } catch is CancellationError {
                if preparation == task { preparation = nil }
                try Task.checkCancellation()
            }
        }
    }

    /// The GStreamer elements that every call requires.
    package nonisolated static let neededElements = [
        "webrtcbin", "nicesrc", "dtlsdec", "srtpdec", "rtph264pay", "rtpopuspay", "h264parse", "opusparse",
        "matroskamux", "mp4mux", "parsebin", "appsrc",
    ]

    private func open() async throws {
        let missing = GStreamer.missing(Self.neededElements)
        guard missing.isEmpty else { throw CallMediaFailure.local(.missingPlugin(missing)) }
        try configuration.checkRecordings()
        watcher =
            watcher
            ?? Task { [weak self, failures] in for await failure in failures { self?.fail(failure) } }
        do {
            let opened = try await openSource()
            self.opened = opened
            let outgoingMedia = OutgoingMedia(
                source: opened.source,
                library: configuration.library,
                encoders: encoders,
                scope: configuration.scope,
                bitrate: configuration.startBitrate,
                closed: closed,
                decodingLimit: configuration.decodingLimit,
                meter: meter(of: .local),
                failures: failureContinuation
            )
            self.outgoingMedia = outgoingMedia
            ownMediaContinuation.yield(.sends(Set(outgoingMedia.tracks.map(\.kind))))
            // Testing hardware encoders takes time, so it is done before a peer waits for the call.
            if let codec = outgoingMedia.codecToEncode(of: configuration.codecs) {
                _ = await encoders.description(for: codec)
            }
            certificate = try DTLSCertificate()
            if let shared = configuration.sharedSource {
                try await shared.warmUp { [self] in try await warmUp(outgoingMedia) }
            } else {
                try await warmUp(outgoingMedia)
            }
            noticeContinuation.yield(opened.notice)
        } catch {
            await outgoingMedia?.close()
            outgoingMedia = nil
            throw error is CancellationError ? error : CallMediaFailure(error)
        }
        let notify: @Sendable (MediaNotice) -> Void = { [noticeContinuation] in noticeContinuation.yield($0) }
        recordings = Recordings(
            configuration.recordings,
            output: configuration.output,
            library: configuration.library,
            failures: failureContinuation,
            notify: notify
        ) { [recordingPathContinuation, ownMediaContinuation, configuration] manual in
            recordingPathContinuation.yield(manual?.file.path)
            let recordsPeer = configuration.recordsPeer || manual?.sides.contains(.remote) ?? false
            ownMediaContinuation.yield(.recordsPeer(recordsPeer))
        }
        snapshots = configuration.snapshot.map {
            SnapshotTaker(
                $0,
                library: configuration.library,
                limit: configuration.decodingLimit,
                notify: notify
            )
        }
        name(peer)
    }

    /// Finds the audio devices, then opens the source, with a microphone if needed.
    private func openSource() async throws -> SourceOpener.Opened {
        let notify: @Sendable (MediaNotice) -> Void = { [noticeContinuation] in noticeContinuation.yield($0) }
        await loudspeaker?.close()
        let audioDevices = try AudioDevices(
            configuration.audioRequest,
            meter: meter(of: .remote),
            notify: notify
        )
        loudspeaker = audioDevices.loudspeaker
        loudspeaker?.setVolume(volume)
        let request = configuration.sourceRequest
        let opener = SourceOpener(request: request, events: sourceEvents(), notify: notify)
        guard let shared = configuration.sharedSource else {
            return try await audioDevices.attachMicrophone(to: opener.open())
        }
        let share = try await shared.open(request, events: opener.events, notify: notify)
        return try await audioDevices.attachMicrophone(to: share)
    }

    private func sourceEvents() -> SourceEvents {
        let (ends, end) = AsyncStream.makeStream(of: String.self)
        endWatcher?.cancel()
        endWatcher = Task { [weak self] in for await name in ends { self?.sourceEnded(name) } }
        return SourceEvents(
            failed: { [failureContinuation] in failureContinuation.yield($0) },
            warn: { [noticeContinuation] in noticeContinuation.yield(.warning($0)) },
            ended: { end.yield($0) }
        )
    }

    /// Reports to all sessions that the source has ended.
    private func sourceEnded(_ name: String) {
        for session in sessions where session.closing == nil {
            session.eventContinuation.yield(.sourceEnded(name))
        }
    }

    /// Creates GStreamer's DTLS key and loads all plugins by means of a session that is not used.
    ///
    /// This takes up to half a second and is therefore done before a peer waits for the call.
    private func warmUp(_ outgoingMedia: OutgoingMedia) async throws {
        let session = try LiveMediaSession(service: self, outgoingMedia: outgoingMedia)
        do { try await session.warmUp() } catch {
            await session.close()
            throw error
        }
        await session.close()
        for codec in configuration.codecs {
            for folder in ["payloaders", "depayloaders"] {
                _ = try Bin.parsing(configuration.library.description("\(folder)/\(codec.pipelineName)"))
            }
        }
    }

    /// Reports a failure to the current sessions, or as a notice if there are none; fails all later sessions.
    ///
    /// The failure affects all attempts, so a `.pipeline` failure is reported as a `.source` failure.
    func fail(_ broken: MediaFailure) {
        var failure = broken
        if case .pipeline(let element, let message) = broken {
            failure = .source(
                message: "the source failed: \(message) (\(element))",
                hint: "run callrunner doctor"
            )
        }
        self.failure = failure
        let living = sessions.filter { $0.closing == nil }
        if living.isEmpty { noticeContinuation.yield(.failed(failure)) }
        for session in living { session.fail(.local(failure)) }
    }

    /// Reports a problem that does not end the call.
    nonisolated func warn(_ message: String) { noticeContinuation.yield(.warning(message)) }

    /// Reports a problem that does not end the call, unless it was reported before.
    func warnOnce(_ message: String) {
        if complaints.insert(message).inserted { warn(message) }
    }

    @MediaActor package func makeSession(role: Role, iceServers: [ICEServer]) async throws -> any MediaSession
    {
        try await prepare()
        if let failure { throw CallMediaFailure.local(failure) }
        guard let outgoingMedia, ending == nil else { throw CancellationError() }
        await forwarders.enter()
        do {
            let servers = await servers(for: iceServers)
            guard !configuration.relayOnly || !servers.relays.isEmpty else {
                throw CallMediaFailure.iceFailed(
                    detail: "only relays may be used, and no TURN server is known"
                )
            }
            guard ending == nil else { throw CancellationError() }
            let session = try LiveMediaSession(service: self, outgoingMedia: outgoingMedia, servers: servers)
            sessions.append(session)
            return session
        } catch {
            await forwarders.leave()
            throw error is CancellationError ? error : CallMediaFailure(error)
        }
    }

    /// Removes a closed session and adds its totals; after the last one, pauses source and recordings.
    func forget(_ session: LiveMediaSession) async {
        guard sessions.contains(where: { $0 === session }) else { return }
        totals.add(session)
        sessions.removeAll { $0 === session }
        if sessions.isEmpty {
            for side in MediaSide.allCases { recordings?.pause(side) }
            remoteVideo = nil
            let preview = preview
            self.preview = nil
            await preview?.close()
        }
        await forwarders.leave()
        if sessions.isEmpty { await outgoingMedia?.rest() }
    }

    @MediaActor package func setMuted(_ muted: Bool) async { setClosed(muted, .audio) }

    @MediaActor package func setCameraOff(_ off: Bool) async { setClosed(off, .video) }

    private func setClosed(_ isClosed: Bool, _ kind: MediaKind) {
        if isClosed { closed.insert(kind) } else { closed.remove(kind) }
        outgoingMedia?.setClosed(isClosed, kind)
    }

    /// Shows outgoing video as a preview in the corner of the window, if there is a window.
    func showPreview(of stream: OutgoingStream) async {
        guard let window = configuration.window, stream.kind == .video else { return }
        await preview?.close()
        do {
            preview = try VideoRenderer(
                .local,
                of: stream.hub,
                within: configuration.decodingLimit,
                in: window,
                library: configuration.library,
                onError: { [weak self] in self?.warn("the local video is not shown: \($0.sentence)") }
            )
        } catch { warn("the local video is not shown: \(MediaFailure(error).sentence)") }
    }

    /// Closes sessions, source and recordings; no session can be created afterwards.
    ///
    /// Further calls wait for the first call. Cancellation of the calling task does not interrupt closing.
    @MediaActor package func finish() async {
        let task = ending ?? Task { await close() }
        ending = task
        await task.value
    }

    private func close() async {
        preparation?.cancel()
        _ = await preparation?.result
        for session in sessions { await session.close() }
        await forwarders.close()
        if let recordings {
            await recordings.finish()
        } else {
            reportEmptyRecordings()
            await configuration.output?.finish()
        }
        await snapshots?.finish()
        await preview?.close()
        await outgoingMedia?.close()
        await loudspeaker?.close()
        failureContinuation.finish()
        await watcher?.value
        endWatcher?.cancel()
        await endWatcher?.value
        recordingPathContinuation.finish()
        ownMediaContinuation.finish()
        noticeContinuation.finish()
    }
}

// MARK: - Audio

extension LiveMediaService {
    @MediaActor package func setVolume(_ percent: Int) async {
        volume = percent
        loudspeaker?.setVolume(percent)
    }

    /// Creates a meter that shows the audio level of the local or remote side in the window.
    func meter(of side: MediaSide) -> AudioMeter {
        AudioMeter { [window = configuration.window] in window?.show(audioLevel: $0, of: side) }
    }
}
