internal import CallCore
internal import GStreamerKit
internal import Synchronization

/// What webrtcbin delivers in one attempt, depayloaded into a hub per kind.
final class IncomingTracks: Sendable {
    private let pipeline: WeakPipeline
    private let counters: TrafficCounters
    private let descriptions: [Codec: String]
    private let news: AsyncStream<MediaEvent>.Continuation
    private let hubs: [MediaKind: SampleHub]
    /// Whether a frame counts when it is depayloaded; else the window tells of the first one shown.
    private let reportsVideoFrames: Bool
    private let taken = Mutex<Set<MediaKind>>([])
    private let outputs = Mutex<[MediaKind: AppSink]>([:])

    /// - Throws: `MediaFailure.pipeline` where a description is missing.
    init(
        pipeline: Pipeline,
        counters: TrafficCounters,
        library: PipelineLibrary,
        news: AsyncStream<MediaEvent>.Continuation,
        isShown: Bool
    ) throws {
        reportsVideoFrames = !isShown
        self.pipeline = WeakPipeline(pipeline)
        self.counters = counters
        self.news = news
        var descriptions: [Codec: String] = [:]
        for codec in Codec.allCases {
            descriptions[codec] = try library.description("depayloaders/\(codec.pipelineName)")
        }
        self.descriptions = descriptions
        hubs = Dictionary(uniqueKeysWithValues: MediaKind.allCases.map { ($0, SampleHub()) })
    }

    func hub(for kind: MediaKind) -> SampleHub { hubs[kind, default: SampleHub()] }

    /// Asks the peer for a keyframe (RFC 4585 §6.3.1), where its pictures come in.
    func requestKeyframe() { outputs.withLock { $0[.video] }?.requestKeyframe() }

    /// Takes the first stream of each kind; runs inside `pad-added`, so that no packet is lost.
    func accept(_ pad: Pad) {
        let caps = pad.caps
        let codec = caps?.string("encoding-name").flatMap(Codec.init(encodingName:))
        guard let codec, let description = descriptions[codec], isFirst(codec.kind) else {
            return discard(pad)
        }
        do {
            let depayloading = try Bin.parsing(description)
            guard let output = depayloading.element(named: "output") else {
                throw GStreamerError.description("it lacks an appsink “output”")
            }
            if let ssrc = caps?.uint("ssrc") { counters.identified(codec.kind, ssrc: ssrc) }
            count(codec.kind, at: pad)
            let sink = AppSink(output, hub: hub(for: codec.kind))
            outputs.withLock { $0[codec.kind] = sink }
            guard pipeline.append(depayloading, to: pad) else {
                throw GStreamerError.description("it does not fit webrtcbin")
            }
        } catch {
            let name = "depayloaders/\(codec.pipelineName)"
            news.yield(.failed(.pipeline(element: name, message: "\(error)")))
            discard(pad)
        }
    }

    private func count(_ kind: MediaKind, at pad: Pad) {
        pad.onBuffer { [counters, news] bytes in
            if counters.received(kind, bytes: bytes) { news.yield(.firstPacket(kind)) }
        }
        _ = hub(for: kind).attach(fromKeyframe: kind == .video) {
            [counters, news, reports = reportsVideoFrames] sample in
            let isFirst = counters.receivedFrame(
                kind,
                width: sample.caps.int("width") ?? 0,
                height: sample.caps.int("height") ?? 0,
                at: MediaClock.shared.now
            )
            if isFirst, kind == .audio || reports { news.yield(.firstFrame(kind)) }
        }
    }

    /// Nothing more is taken.
    func close() { taken.withLock { $0 = Set(MediaKind.allCases) } }

    private func isFirst(_ kind: MediaKind) -> Bool { taken.withLock { $0.insert(kind).inserted } }

    /// A stream that nobody here understands must still flow, or it blocks its neighbours.
    private func discard(_ pad: Pad) {
        guard let sink = try? Element(factory: "fakesink") else { return }
        sink.set("sync", false)
        sink.set("async", false)
        pipeline.append(sink, to: pad)
    }
}
