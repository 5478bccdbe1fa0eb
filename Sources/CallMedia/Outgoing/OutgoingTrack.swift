internal import Basics
internal import CallCore
internal import GLibKit
internal import GStreamerKit
internal import MediaKit

/// An outgoing stream in one attempt, payloaded and linked to webrtcbin.
@MediaActor
final class OutgoingTrack {
    private(set) var stream: OutgoingStream
    private let target: KeyframeTarget
    private let input: AppSource
    private let counters: TrafficCounters
    private var attachment: SampleHub.Attachment?

    // The payloader rejects a stream with a higher level than the peer's and uses the level for nothing else.
    // But some encoders declare a higher level than their frames need, and with level asymmetry the peer
    // accepts any level. CodecPlan and ResolutionLimiter have already decided whether the stream may be sent,
    // so the caps always declare the lowest level.
    private static let labels = ["level": "1"]

    /// Creates the payloader of a stream and links it to `pad`.
    ///
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        _ stream: OutgoingStream,
        payloadType: Int,
        ssrc: UInt32?,
        header: HeaderExtensionWriter?,
        to pad: Pad,
        in pipeline: Pipeline,
        counters: TrafficCounters,
        library: PipelineLibrary
    ) throws {
        let name = "payloaders/\(stream.payloader)"
        let payloading = try Bin.parsing(library.description(name))
        guard let source = payloading.element(named: "source"), let output = payloading.pad("src") else {
            throw MediaFailure.pipeline(
                element: name,
                message: "it lacks an appsrc “source” or an unlinked source pad"
            )
        }
        guard !pad.isLinked else {
            throw MediaFailure.pipeline(element: name, message: "its webrtcbin pad is already linked")
        }
        let payloader = payloading.element(named: "payloader")
        payloader?.set("pt", payloadType)
        if let ssrc { payloader?.set("ssrc", Int(ssrc)) }
        if let header { output.write(header) }
        output.onBuffer { [kind = stream.kind] in counters.sent(kind, bytes: $0) }
        let target = KeyframeTarget(stream)
        source.pad("src")?.onForceKeyUnit {
            counters.keyframeAskedFor()
            target.makeKeyframe()
        }
        pipeline.add(payloading)
        guard output.link(to: pad) else {
            pipeline.remove(payloading)
            throw MediaFailure.pipeline(element: name, message: "it cannot be linked to webrtcbin")
        }
        payloading.syncStateWithParent()
        self.stream = stream
        self.target = target
        self.counters = counters
        input = AppSource(source, labels: Self.labels)
    }

    var isFlowing: Bool { attachment != nil }

    /// Starts to send the stream.
    ///
    /// - Returns: false if it is already being sent.
    func start() -> Bool {
        guard attachment == nil else { return false }
        attachment = stream.hub.attach(fromKeyframe: stream.kind == .video) {
            [input, counters, target, kind = stream.kind] sample in
            input.push(sample)
            counters.sentFrame(kind)
            target.resume()
        }
        return true
    }

    /// Replaces the stream by another one of the same codec, from the new stream's first keyframe on.
    func replace(with other: OutgoingStream) {
        stream = other
        target.set(other)
        guard let before = attachment else { return }
        let first = FirstOccurrence { before.detach() }
        attachment = other.hub.attach(fromKeyframe: other.kind == .video) {
            [input, counters, target, kind = other.kind] sample in
            first.happened()
            input.push(sample)
            counters.sentFrame(kind)
            target.resume()
        }
        other.makeKeyframe()
    }

    func stop() {
        attachment?.detach()
        attachment = nil
    }
}
