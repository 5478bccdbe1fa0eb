internal import Basics
internal import GStreamerKit
internal import Synchronization

/// The streams of a file being recovered, each linked to the muxer of the new file.
final class RecoveredStreams: Sendable {
    private struct State {
        var codecs: [Codec] = []
        var end: UInt64 = 0
    }

    private let pipeline: WeakPipeline
    private let muxer: Element
    private let container: Container
    private let delays: [Int: UInt64]
    private let state = Mutex(State())

    /// Creates the streams; `delays` contains the start delays of tracks by track number, in nanoseconds.
    init(pipeline: Pipeline, muxer: Element, container: Container, delays: [Int: UInt64]) {
        (self.pipeline, self.muxer, self.container) = (WeakPipeline(pipeline), muxer, container)
        self.delays = delays
    }

    /// The codecs of the recovered streams, in the order of the file.
    var codecs: [Codec] { state.withLock { $0.codecs } }

    /// The latest end of a sample so far, in nanoseconds.
    var end: UInt64 { state.withLock { $0.end } }

    /// Links `pad` to the muxer; runs inside `pad-added`, so that no data is lost.
    func add(_ pad: Pad) {
        guard let codec = pad.caps.flatMap({ Codec(mediaType: $0.mediaType) }),
            container.codecs.contains(codec),
            let branch = try? Bin.parsing(branch(codec)),
            pipeline.append(branch, to: pad),
            let target = muxer.requestPad("\(codec.kind.rawValue)_%u"),
            let output = branch.pad("src"), output.link(to: target)
        else { return discard(pad) }
        if container == .mp4 {
            // The demuxer's stream IDs end with the track number. Without open segments, the stream would end
            // with the first fragment, and would lose its first frame if another track begins earlier.
            let track = pad.streamID?.split(separator: "/").last.flatMap { Int($0) }
            pad.openSegments(at: track.flatMap { delays[$0] } ?? 0)
        }
        output.onTime { [weak self] time in self?.state.withLock { $0.end = max($0.end, time) } }
        state.withLock { $0.codecs.append(codec) }
    }

    /// Makes the muxer handle gap events, so that a stream without samples does not delay the others.
    func areKnown() { _ = Muxer(muxer.object).acceptGaps() }

    /// Returns the pipeline branch for a codec; its queue is unlimited, because other tracks may have gaps.
    private func branch(_ codec: Codec) -> String {
        let queue = "queue max-size-buffers=0 max-size-bytes=0 max-size-time=0"
        switch codec {
        case .h264:
            let format = container == .mp4 ? "avc" : "avc3"
            return "\(queue) ! h264parse ! capsfilter caps=video/x-h264,stream-format=\(format),alignment=au"
        case .opus: return "\(queue) ! opusparse"
        default: return queue
        }
    }

    private func discard(_ pad: Pad) {
        guard let sink = try? Element(factory: "fakesink") else { return }
        sink.set("sync", false)
        sink.set("async", false)
        pipeline.append(sink, to: pad)
    }
}
