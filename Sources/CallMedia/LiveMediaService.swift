package import CallCore
package import GStreamerKit
internal import Logging

/// Media on GStreamer: source, recordings and window across all attempts of a call.
@MediaActor
package final class LiveMediaService: MediaService {
    /// What happens besides the call, in order, until `finish()` has been called; single consumer.
    nonisolated package let notices: AsyncStream<MediaNotice>

    let configuration: MediaConfiguration
    /// Over all attempts that are closed.
    package private(set) var totals = MediaTotals()
    private(set) var outbox: Outbox?
    private(set) var recorder: Recorder?
    private(set) var localRecorder: Recorder?
    private let noticeNews: AsyncStream<MediaNotice>.Continuation
    private var source: (any LocalSource)?
    private var watchers: [Task<Void, Never>] = []
    private var sessions: [LiveMediaSession] = []
    private var preview: ViewerStage?
    private var preparation: Task<Void, any Error>?

    nonisolated package init(configuration: MediaConfiguration) {
        self.configuration = configuration
        (notices, noticeNews) = AsyncStream.makeStream(of: MediaNotice.self)
    }

    /// Opens the source, makes the process's DTLS key and checks that no plugin is missing.
    ///
    /// Further calls wait for the first one.
    ///
    /// - Throws: `MediaFailure`.
    @MediaActor package func prepare() async throws {
        if let preparation { return try await preparation.value }
        let task = Task { try await open() }
        preparation = task
        try await task.value
    }

    /// Elements without which no call works, and the packages that bring them.
    package nonisolated static let neededElements = [
        "webrtcbin", "nicesrc", "dtlsdec", "srtpdec", "rtph264pay", "rtpopuspay", "h264parse", "opusparse",
        "matroskamux", "mp4mux", "parsebin", "appsrc",
    ]

    private func open() async throws {
        let missing = GStreamer.missing(Self.neededElements)
        guard missing.isEmpty else { throw MediaFailure.missingPlugin(missing) }
        do {
            let opened = try await SourceOpener(configuration: configuration).open()
            source = opened.source
            noticeNews.yield(opened.notice)
            outbox = Outbox(
                source: opened.source,
                library: configuration.library,
                bitrate: configuration.startBitrate
            )
            try await warmUp()
        } catch { throw MediaFailure(error) }
        recorder = configuration.recording.map { Recorder(file: $0, library: configuration.library) }
        localRecorder = configuration.localRecording.map {
            Recorder(file: $0, library: configuration.library)
        }
        watchFailures()
    }

    /// Makes the process's DTLS key and loads every plugin of a call, up to half a second, before a peer waits.
    private func warmUp() async throws {
        guard let outbox else { return }
        let session = try LiveMediaSession(service: self, outbox: outbox, iceServers: [])
        try await session.warmUp()
        await session.close()
        for codec in configuration.codecs {
            for folder in ["payloaders", "depayloaders"] {
                _ = try Bin.parsing(configuration.library.description("\(folder)/\(codec.pipelineName)"))
            }
        }
    }

    /// Passes failures of source and recordings on to the session of the moment.
    private func watchFailures() {
        let streams = [source?.failures, recorder?.failures, localRecorder?.failures].compactMap(\.self)
        watchers = streams.map { failures in
            Task { [weak self] in
                for await failure in failures { self?.fail(failure) }
            }
        }
    }

    private func fail(_ failure: MediaFailure) { for session in sessions { session.fail(failure) } }

    @MediaActor package func makeSession(role: Role, iceServers: [ICEServer]) async throws -> any MediaSession
    {
        try await prepare()
        guard let outbox else { throw CancellationError() }
        do {
            let session = try LiveMediaSession(service: self, outbox: outbox, iceServers: iceServers)
            sessions.append(session)
            return session
        } catch { throw MediaFailure(error) }
    }

    func forget(_ session: LiveMediaSession) {
        guard sessions.contains(where: { $0 === session }) else { return }
        totals.add(session.counters.snapshot, lost: session.lost)
        sessions.removeAll { $0 === session }
    }

    @MediaActor package func setMuted(_ muted: Bool) async { outbox?.setClosed(muted, .audio) }

    @MediaActor package func setCameraOff(_ off: Bool) async { outbox?.setClosed(off, .video) }

    /// Shows what is sent in the corner of the window, where there is one.
    func showPreview(of stream: OutgoingStream) {
        guard let window = configuration.window, stream.kind == .video else { return }
        preview?.close()
        preview = try? ViewerStage(.local, of: stream.hub, in: window, library: configuration.library)
    }

    /// Closes sessions, source and recordings; nothing may be made afterwards.
    @MediaActor package func finish() async {
        preparation?.cancel()
        _ = await preparation?.result
        for session in sessions { await session.close() }
        for (recorder, file) in [
            (recorder, configuration.recording), (localRecorder, configuration.localRecording),
        ] {
            guard let file else { continue }
            let saved = await recorder?.finish() ?? []
            if recorder == nil { file.removeIfEmpty() }
            for recording in saved { noticeNews.yield(.recordingSaved(recording)) }
            if saved.isEmpty { noticeNews.yield(.recordingEmpty(path: file.path)) }
        }
        preview?.close()
        await outbox?.close()
        for watcher in watchers { await watcher.value }
        noticeNews.finish()
    }
}

extension MediaFailure {
    /// What a Kit's error means for the call.
    init(_ error: any Error) {
        switch error {
        case let failure as MediaFailure: self = failure
        case GStreamerError.missingElement(let name): self = .missingPlugin([name])
        case GStreamerError.badSDP: self = .badDescription("it is no session description")
        case GStreamerError.rejected(let message): self = .badDescription(message)
        default: self = .pipeline(element: "media", message: "\(error)")
        }
    }
}
