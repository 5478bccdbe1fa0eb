internal import CallCore
internal import GStreamerKit

/// An outgoing stream in one attempt: packetized and linked to webrtcbin.
@MediaActor
final class OutgoingTrack {
    nonisolated let stream: OutgoingStream
    private let input: AppSource
    private let counters: TrafficCounters
    private var attachment: SampleHub.Attachment?

    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        _ stream: OutgoingStream,
        payloadType: Int,
        ssrc: UInt32?,
        to pad: Pad,
        in pipeline: Pipeline,
        feedback: AsyncStream<[TransportPacket]>.Continuation?,
        counters: TrafficCounters,
        library: PipelineLibrary
    ) throws {
        let name = "payloaders/\(stream.codec.pipelineName)"
        let payloading = try Bin.parsing(library.description(name))
        guard let source = payloading.element(named: "source"), let output = payloading.pad("src") else {
            throw MediaFailure.pipeline(element: name, message: "it lacks an appsrc “source” or an open end")
        }
        guard !pad.isLinked else {
            throw MediaFailure.pipeline(element: name, message: "its place in webrtcbin is taken")
        }
        let payloader = payloading.element(named: "payloader")
        payloader?.set("pt", payloadType)
        if let ssrc { payloader?.set("ssrc", Int(ssrc)) }
        output.onBuffer { [kind = stream.kind] in counters.sent(kind, bytes: $0) }
        // The session's feedback goes to every track, and is wanted once.
        if let feedback { output.onTransportFeedback { feedback.yield($0) } }
        source.pad("src")?.onForceKeyUnit { [weak stream] in
            counters.keyframeAskedFor()
            stream?.makeKeyframe()
        }
        pipeline.add(payloading)
        guard output.link(to: pad) else {
            pipeline.remove(payloading)
            throw MediaFailure.pipeline(element: name, message: "it does not fit webrtcbin")
        }
        payloading.syncStateWithParent()
        self.stream = stream
        self.counters = counters
        input = AppSource(source)
    }

    var isFlowing: Bool { attachment != nil }

    /// - Returns: false where it flows already.
    func start() -> Bool {
        guard attachment == nil else { return false }
        attachment = stream.hub.attach(fromKeyframe: stream.kind == .video) {
            [input, counters, kind = stream.kind] sample in
            input.push(sample)
            counters.sentFrame(kind)
        }
        return true
    }

    func stop() {
        attachment?.detach()
        attachment = nil
    }
}
