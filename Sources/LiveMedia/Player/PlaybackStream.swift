internal import Basics
internal import GStreamerKit
internal import LiveCore
internal import MediaKit
internal import Synchronization

/// A stream that a playbin plays: one pipeline for video and audio, so that both stay in sync.
@LiveActor
final class PlaybackStream: LiveStream {
    nonisolated let events: AsyncStream<LiveStreamEvent>

    private let continuation: AsyncStream<LiveStreamEvent>.Continuation
    private let pipeline: Pipeline
    private let volume: Element
    /// The number of segments between the start position and the end of a playlist that has more segments.
    private static let distance = 3

    private let place: AddressCheck.Finding
    /// The gateway that loads a playlist and its segments; nil for a file.
    private let gateway: StreamGateway?
    /// The capture time of position 0; nil if the playlist does not specify it.
    private let origin: Timestamp?
    /// Whether playback starts so close to the live edge that the first seek to it would only flush the buffers.
    private var startsAtEdge: Bool
    /// Finds the reason why a running stream was lost; nil if the address can still be played.
    private let explain: @Sendable () async -> LiveFailure?
    private let quality: QualityChoice?
    private let frames: FrameWatch
    /// The reason why playback must not continue; nil if it may.
    private let refused = StateStore<LiveFailure?>(nil)
    private let loop: FilmLoop
    private var options: LiveOptions
    private var tasks: [Task<Void, Never>] = []
    /// The task that answers the demuxer's requests; it ends last.
    private var loading: Task<Void, Never>?
    /// The position and the end that were reported last, in nanoseconds.
    private var measured: (position: UInt64, end: UInt64?) = (0, nil)
    private var isBuffering = false
    private var isStalled = false
    private var isOver = false
    /// Whether the final event was reported.
    private var isFinished = false
    /// Whether the playbin lacks a plugin for one of the streams.
    private var lacksPlugin = false

    /// The time without a frame after which a playing stream counts as stalled.
    private static let stillness = Duration.milliseconds(700)
    /// The time limit for determining why a stream was lost.
    private static let explanationLimit = Duration.seconds(5)
    /// The interval at which the position is reported.
    private static let interval = Duration.milliseconds(250)

    /// Creates the pipeline and starts to load the stream.
    ///
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        _ place: AddressCheck.Finding,
        at uri: String,
        through gateway: StreamGateway?,
        _ options: LiveOptions,
        _ output: LiveOutput,
        library: PipelineLibrary,
        explain: @escaping @Sendable () async -> LiveFailure?
    ) throws {
        let (events, continuation) = AsyncStream.makeStream(of: LiveStreamEvent.self)
        let frames = FrameWatch(isLive: place.isLive)
        (self.events, self.continuation) = (events, continuation)
        (self.place, self.options, self.explain) = (place, options, explain)
        self.gateway = gateway
        origin = place.isLive ? place.playlist?.segments.first?.date : nil
        startsAtEdge =
            place.isLive && !options.isPaused
            && place.playlist.map { $0.segments.count <= Self.distance } ?? false
        self.frames = frames
        // `playbin3` is needed for playlists; in GStreamer 1.22 it may crash when a damaged file is closed.
        let player = place.playlist == nil ? "playbin" : "playbin3"
        let pipeline = try Pipeline(parsing: player, name: "player")
        self.pipeline = pipeline
        loop = FilmLoop(pipeline, isFilm: !place.isLive, isLocal: place.isLocal, isOn: options.loops)
        quality = place.variants.map { QualityChoice($0, of: pipeline, height: output.height) }
        let video = try Bin.parsing(library.description("live/video-sink"))
        let speaker = output.speaker?.element ?? "fakesink sync=true"
        let audio = try Bin.parsing(library.description("live/audio-sink", ["speaker": speaker]))
        guard let sink = video.element(named: "video"), let loudspeaker = audio.element(named: "speaker"),
            let volume = audio.element(named: "volume")
        else {
            throw MediaFailure.pipeline(
                element: "live",
                message: "its sinks lack “video”, “volume” or “speaker”"
            )
        }
        self.volume = volume
        if let address = output.speaker?.address { loudspeaker.set("device", address) }
        let source = WeakElement(sink)
        _ = AppSink(sink).hub.attach { sample in
            guard let frame = VideoFrame(sample) else { return }
            // The first frame may overtake the message with its codec.
            let event = frames.add(frame.size, codec: source.element?.pad("sink")?.tag("video-codec"))
            if let event { continuation.yield(event) }
            output.show?(frame)
        }
        output.recording?.follow(pipeline, while: loop.demuxer.isPlayed)
        PlaybackGuard(uri: uri, isFilm: place.playlist == nil) { [refused] failure in
            refused.update { $0 = $0 ?? failure }
        }.watch(pipeline)
        // Installed after the recording, which thereby also receives the frames that are not decoded.
        pipeline.onDecoderAdded { decoder in
            decoder.decodeVideo(while: { !frames.hasStarted || output.isSeen() }, whenSkipped: frames.touch)
        }
        pipeline.set("flags", parsing: place.isLocal ? "video+audio" : "video+audio+buffering")
        pipeline.set("video-sink", video)
        pipeline.set("audio-sink", audio)
        pipeline.set("uri", uri)
        // `souphttpsrc` uses a proxy from the environment even for loopback addresses.
        if gateway != nil { pipeline.onSourceSetup { $0.set("proxy", "") } }
        pipeline.followOwnClock()
        setAudio()
        listen()
        do { try pipeline.setState(loop.mustBegin ? .paused : .playing) } catch {
            for task in tasks { task.cancel() }
            try? pipeline.setState(.null)
            loading?.cancel()
            throw error
        }
    }

    private func listen() {
        let messages = pipeline.messages
        loading = Task { [gateway] in await gateway?.run() }
        tasks = [
            Task { [weak self] in for await message in messages { await self?.handle(message) } },
            Task { [weak self, refused] in
                for await refusal in refused.states {
                    if let refusal { self?.finish(with: .failed(refusal)) }
                }
            },
            Task { [weak self] in
                while (try? await Task.sleep(for: Self.interval)) != nil {
                    guard let self else { return }
                    measure()
                }
            },
        ]
    }

    // MARK: LiveStream

    func apply(_ options: LiveOptions) {
        if options.isPaused != self.options.isPaused { expectFrames() }
        if options.isPaused { startsAtEdge = false }
        self.options = options
        loop.set(isOn: options.loops)
        setAudio()
        // The first frame is to be shown even if the stream is paused at its beginning.
        if frames.hasStarted { setPlaying() }
    }

    func seek(to target: LiveSeek) {
        guard target != .liveEdge || !startsAtEdge else { return startsAtEdge = false }
        guard let range = pipeline.seekRange else { return }
        // If a playlist has few segments, hlsdemux2 1.22 counts its end as a position. A seek to it finds no segment,
        // and the demuxer then neither plays on nor can be closed.
        let newest = max(range.lowerBound, range.upperBound - min(1, range.upperBound))
        let position: UInt64 =
            switch target {
            case .liveEdge: newest
            case .position(let position): min(range.lowerBound + Self.nanoseconds(position), newest)
            }
        expectFrames()
        _ = loop.seek(to: position)
    }

    nonisolated func close() async {
        // The demuxer may hold up `LiveActor` until its requests are answered.
        // A task of its own, because the calling one may be cancelled.
        await Task { [gateway] in await gateway?.finish() }.value
        await stop()
    }

    private func stop() async {
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        try? pipeline.setState(.null)
        loading?.cancel()
        await loading?.value
        continuation.finish()
    }

    /// Restarts the measurement of the time without a frame.
    private func expectFrames() {
        frames.touch()
        isStalled = false
    }

    /// Converts a position to nanoseconds, limited to the range from 0 to 24 hours.
    private static func nanoseconds(_ span: Duration) -> UInt64 {
        UInt64(min(max(0, span / .nanoseconds(1)), 86_400e9))
    }

    private func setAudio() {
        volume.set("volume", parsing: "\(Double(options.audio.volume) / 100)")
        volume.set("mute", options.audio.isMuted)
    }

    private func setPlaying() {
        guard !isOver else { return }
        try? pipeline.setState(isPlaying ? .playing : .paused)
        if isPlaying { loop.resume() }
    }

    private var isPlaying: Bool { !options.isPaused && !isBuffering }

    // MARK: Events

    private func handle(_ message: BusMessage) async {
        guard !isOver else { return }
        switch message {
        case .buffering(let percent): buffer(percent)
        case .codecs(let video, let audio):
            if let event = frames.name(video: video, audio: audio) { continuation.yield(event) }
        case .stateReached:
            let mustBegin = loop.mustBegin
            loop.begin()
            if mustBegin { setPlaying() }
            if !frames.hasVideo, pipeline.element(named: "video")?.pad("sink")?.isLinked != true,
                let event = frames.addAudio()
            {
                continuation.yield(event)
            }
        case .element("missing-plugin"): lacksPlugin = true
        // Usually the playbin follows it to a source that the guard refuses, but not if it is still starting.
        case .element("redirect"): finish(with: .failed(PlaybackGuard.isReference))
        case .segmentDone(let seek):
            if !loop.endSegment(seek, isPlaying: isPlaying) { finish(with: .ended) }
        case .endOfStream where loop.isOn:
            // The rounds are not segments, or the loop was turned on during a round that is not a segment.
            expectFrames()
            switch loop.rewind() {
            case true?: continuation.yield(.looped)
            case false?: finish(with: .ended)
            case nil: break
            }
        case .endOfStream: finish(with: .ended)
        case .error(_, let factory, let text, let debug):
            await fail(text, isNoMedia: Self.isNoMedia(factory, debug))
        case .warning, .latencyChanged, .element: break
        }
    }

    /// Pauses the pipeline until its buffers are full; `percent` is their fill level.
    private func buffer(_ percent: Int) {
        let isFilling = percent < 100
        guard isFilling != isBuffering else { return }
        isBuffering = isFilling
        if frames.hasStarted { setPlaying() }
    }

    /// Whether an error means that the content is not media at all, as opposed to damaged media.
    private static func isNoMedia(_ factory: String, _ debug: String) -> Bool {
        // Only the debug text is the same in every locale.
        factory == "typefind" || factory.hasPrefix("decodebin") && debug.contains("plain text file")
    }

    private func fail(_ text: String, isNoMedia: Bool) async {
        isOver = true
        let hasStarted = frames.hasStarted
        if hasStarted, !isStalled { continuation.yield(.stalled) }
        let refusal = await gateway?.failure
        let reason = try? await withDeadline(Self.explanationLimit) { [explain] in await explain() }
        let failure =
            if let refusal = refused.state {
                refusal
            } else if let reason = reason ?? nil {
                reason
            } else if lacksPlugin, !hasStarted {
                LiveFailure(.unsupported, "GStreamer lacks a plugin for the stream: \(text)")
            } else if let refusal {
                refusal
            } else if hasStarted {
                LiveFailure(.unreachable, "the stream broke off: \(text)")
            } else if isNoMedia, place.isLocal {
                LiveFailure(.notMedia, "the file contains no media: \(text)")
            } else {
                LiveFailure(.damaged, "the stream cannot be played: \(text)")
            }
        finish(with: .failed(failure))
    }

    private func finish(with event: LiveStreamEvent) {
        guard !isFinished else { return }
        (isOver, isFinished) = (true, true)
        continuation.yield(event)
        continuation.finish()
    }

    /// Computes the time since the capture of the frame at a position in nanoseconds; nil if it is unknown.
    private func latency(at position: UInt64) -> Duration? {
        guard let origin else { return nil }
        // If the clocks of server and player differ by more than the latency, it is unknown.
        let latency = Timestamp.now - (origin + .nanoseconds(Int64(clamping: position)))
        return latency >= .zero ? latency : nil
    }

    /// Reports the position, and whether the stream is stalled.
    private func measure() {
        guard !isOver, frames.hasStarted else { return }
        quality?.update()
        // The frames of a file may be far apart.
        let isWithoutFrames =
            place.isLive && frames.hasVideo && (frames.stillness ?? .zero) > Self.stillness
        let isStill = !options.isPaused && (isWithoutFrames || isBuffering)
        if isStill != isStalled {
            isStalled = isStill
            continuation.yield(isStill ? .stalled : .resumed)
        }
        guard let position = pipeline.position else { return }
        switch loop.move(to: position, isPlaying: isPlaying) {
        case .continued: break
        case .begunAgain: continuation.yield(.looped)
        case .ended: return finish(with: .ended)
        }
        let range = pipeline.seekRange
        let start = range?.lowerBound ?? 0
        let end = place.isLive ? range?.upperBound : pipeline.duration
        // While the stream is paused, its end moves only when the playlist is reloaded.
        guard !options.isPaused || position != measured.position || end != measured.end else { return }
        measured = (position, end)
        continuation.yield(
            .progress(
                LiveProgress(
                    position: .nanoseconds(Int64(clamping: position - min(start, position))),
                    duration: end.map { .nanoseconds(Int64(clamping: $0 - min(start, $0))) },
                    latency: latency(at: position),
                    behind: place.isLive
                        ? end.map { .nanoseconds(Int64(clamping: $0 - min(position, $0))) } : nil,
                    segment: place.playlist.map { .seconds($0.targetDuration) }
                )
            )
        )
    }
}
