package import CallCore
package import GStreamerKit

/// Media on GStreamer: source, recordings and window across all attempts of a call.
@MediaActor
package final class LiveMediaService: MediaService {
    /// What happens besides the call, in order, until `finish()` has been called; single consumer.
    nonisolated package let notices: AsyncStream<MediaNotice>

    let configuration: MediaConfiguration
    /// Over all attempts that are closed.
    package private(set) var totals = MediaTotals()
    private(set) var outbox: Outbox?
    private(set) var certificate: DTLSCertificate?
    private(set) var recorder: Recorder?
    private(set) var localRecorder: Recorder?
    /// Where the peer is heard; nil for nowhere.
    private(set) var loudspeaker: Loudspeaker?
    private let noticeNews: AsyncStream<MediaNotice>.Continuation
    /// What breaks in source, encoders and recordings, read by `watcher`.
    private let failures: AsyncStream<MediaFailure>
    private let failureNews: AsyncStream<MediaFailure>.Continuation
    private var failure: MediaFailure?
    private var watcher: Task<Void, Never>?
    private var endWatcher: Task<Void, Never>?
    private var sessions: [LiveMediaSession] = []
    /// What is muted or covered.
    private var closed: Set<MediaKind> = []
    private var preview: ViewerStage?
    private var preparation: Task<Void, any Error>?
    private var ending: Task<Void, Never>?

    nonisolated package init(configuration: MediaConfiguration) {
        self.configuration = configuration
        (notices, noticeNews) = AsyncStream.makeStream(of: MediaNotice.self)
        (failures, failureNews) = AsyncStream.makeStream(of: MediaFailure.self)
    }

    /// Opens the source, makes the process's DTLS key and checks that no plugin is missing.
    ///
    /// Further calls wait for the first one; where a caller is cancelled, the others begin anew.
    ///
    /// - Throws: `MediaFailure`, or `CancellationError` once `finish()` has been called.
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

    /// Elements without which no call works, and the packages that bring them.
    package nonisolated static let neededElements = [
        "webrtcbin", "nicesrc", "dtlsdec", "srtpdec", "rtph264pay", "rtpopuspay", "h264parse", "opusparse",
        "matroskamux", "mp4mux", "parsebin", "appsrc",
    ]

    private func open() async throws {
        let missing = GStreamer.missing(Self.neededElements)
        guard missing.isEmpty else { throw MediaFailure.missingPlugin(missing) }
        if let (one, other) = configuration.recordings, one.isSame(as: other) {
            throw MediaFailure.recording(
                message: "\(one.path) is to hold both sides of the call",
                hint: "give --record and --record-local different names"
            )
        }
        watcher =
            watcher
            ?? Task { [weak self, failures] in for await failure in failures { self?.fail(failure) } }
        do {
            await loudspeaker?.close()
            let sound = try SoundStage(configuration, meter: meter(of: .remote)) { [noticeNews] in
                noticeNews.yield($0)
            }
            loudspeaker = sound.loudspeaker
            let opened = try await sound.giveVoice(to: opener.open())
            let outbox = Outbox(
                source: opened.source,
                library: configuration.library,
                bitrate: configuration.startBitrate,
                closed: closed,
                meter: meter(of: .local),
                failures: failureNews
            )
            self.outbox = outbox
            certificate = try DTLSCertificate()
            try await warmUp(outbox)
            noticeNews.yield(opened.notice)
        } catch {
            await outbox?.close()
            outbox = nil
            throw error is CancellationError ? error : MediaFailure(error)
        }
        recorder = configuration.recording.map(makeRecorder)
        localRecorder = configuration.localRecording.map(makeRecorder)
    }

    /// Shows in the window how loud that side is.
    private func meter(of side: Picture) -> SoundMeter {
        SoundMeter { [window = configuration.window] in window?.show(soundLevel: $0, of: side) }
    }

    private var opener: SourceOpener {
        let (ends, end) = AsyncStream.makeStream(of: String.self)
        endWatcher?.cancel()
        endWatcher = Task { [weak self] in for await name in ends { self?.sourceEnded(name) } }
        let news = SourceNews(
            failed: { [failureNews] in failureNews.yield($0) },
            warn: { [noticeNews] in noticeNews.yield(.warning($0)) },
            ended: { end.yield($0) }
        )
        return SourceOpener(configuration: configuration, news: news) { [noticeNews] in noticeNews.yield($0) }
    }

    /// What is sent has come to its end: so have the calls.
    private func sourceEnded(_ name: String) {
        for session in sessions where session.closing == nil { session.news.yield(.sourceEnded(name)) }
    }

    /// Makes the process's DTLS key and loads every plugin of a call, up to half a second, before a peer waits.
    private func warmUp(_ outbox: Outbox) async throws {
        let session = try LiveMediaSession(service: self, outbox: outbox, iceServers: [])
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

    private func makeRecorder(_ file: RecordingFile) -> Recorder {
        Recorder(file: file, library: configuration.library, failures: failureNews) { [noticeNews] in
            noticeNews.yield(.warning($0))
        }
    }

    /// Tells the sessions of the moment; where there is none, those to come and the reader of notices.
    ///
    /// What broke belongs to no attempt, so that another one is in vain: a `.source` or a `.recording`.
    func fail(_ broken: MediaFailure) {
        var failure = broken
        if case .pipeline(let element, let message) = broken {
            failure = .source(
                message: "what is sent broke off: \(message) (\(element))",
                hint: "see callrunner doctor"
            )
        }
        self.failure = failure
        let living = sessions.filter { $0.closing == nil }
        if living.isEmpty { noticeNews.yield(.failed(failure)) }
        for session in living { session.fail(failure) }
    }

    /// Tells of something that the call survives.
    nonisolated func warn(_ message: String) { noticeNews.yield(.warning(message)) }

    func draw(_ pipeline: Pipeline, at moment: String) {
        if configuration.drawsGraphs { noticeNews.yield(.graph(moment: moment, dot: pipeline.graph)) }
    }

    @MediaActor package func makeSession(role: Role, iceServers: [ICEServer]) async throws -> any MediaSession
    {
        try await prepare()
        if let failure { throw failure }
        guard let outbox, ending == nil else { throw CancellationError() }
        let iceServers = configuration.iceServers + iceServers
        guard !configuration.relayOnly || ICEServerSetting.hasRelay(iceServers) else {
            throw MediaFailure.iceFailed(detail: "only relays may be used, and no TURN server is known")
        }
        do {
            let session = try LiveMediaSession(service: self, outbox: outbox, iceServers: iceServers)
            sessions.append(session)
            return session
        } catch { throw MediaFailure(error) }
    }

    /// Counts what an attempt brought; after the last one nothing is sent, shown or recorded any more.
    func forget(_ session: LiveMediaSession) async {
        guard sessions.contains(where: { $0 === session }) else { return }
        totals.add(session.counters.snapshot, lost: session.lost)
        sessions.removeAll { $0 === session }
        guard sessions.isEmpty else { return }
        localRecorder?.pause()
        let preview = preview
        self.preview = nil
        await preview?.close()
        if sessions.isEmpty { await outbox?.rest() }
    }

    /// Plays the peer at so many percent of the loudness that comes, 0…150.
    @MediaActor package func setVolume(_ percent: Int) async { loudspeaker?.setVolume(percent) }

    @MediaActor package func setMuted(_ muted: Bool) async { setClosed(muted, .audio) }

    @MediaActor package func setCameraOff(_ off: Bool) async { setClosed(off, .video) }

    private func setClosed(_ isClosed: Bool, _ kind: MediaKind) {
        if isClosed { closed.insert(kind) } else { closed.remove(kind) }
        outbox?.setClosed(isClosed, kind)
    }

    /// Shows what is sent in the corner of the window, where there is one.
    func showPreview(of stream: OutgoingStream) async {
        guard let window = configuration.window, stream.kind == .video else { return }
        await preview?.close()
        do {
            preview = try ViewerStage(
                .local,
                of: stream.hub,
                in: window,
                library: configuration.library,
                onError: { [weak self] in self?.warn("the local picture is not shown: \($0.sentence)") }
            )
        } catch { warn("the local picture is not shown: \(MediaFailure(error).sentence)") }
    }

    /// Closes sessions, source and recordings; nothing may be made afterwards.
    ///
    /// Further calls wait for the first one. Goes on where the calling task is cancelled.
    @MediaActor package func finish() async {
        let task = ending ?? Task { await close() }
        ending = task
        await task.value
    }

    private func close() async {
        preparation?.cancel()
        _ = await preparation?.result
        for session in sessions { await session.close() }
        await close(recorder, configuration.recording)
        await close(localRecorder, configuration.localRecording)
        await preview?.close()
        await outbox?.close()
        await loudspeaker?.close()
        failureNews.finish()
        await watcher?.value
        endWatcher?.cancel()
        await endWatcher?.value
        noticeNews.finish()
    }

    private func close(_ recorder: Recorder?, _ file: RecordingFile?) async {
        guard let file else { return }
        let saved = await recorder?.finish() ?? []
        for recording in saved { noticeNews.yield(.recordingSaved(recording)) }
        guard recorder?.hasBegun != true else { return }
        file.removeIfEmpty()
        noticeNews.yield(.recordingEmpty(path: file.path))
    }
}

extension MediaFailure {
    /// What a Kit's error means for the call.
    init(_ error: any Error) {
        switch error {
        case let failure as MediaFailure: self = failure
        case GStreamerError.missingElement(let name): self = .missingPlugin([name])
        case GStreamerError.badSDP:
            self = .pipeline(element: "webrtcbin", message: "its description is none")
        case GStreamerError.rejected(let message): self = .pipeline(element: "webrtcbin", message: message)
        default: self = .pipeline(element: "media", message: "\(error)")
        }
    }
}
