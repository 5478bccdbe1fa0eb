internal import Basics
internal import CallCore
internal import GStreamerKit
internal import MediaKit
internal import Synchronization

/// An encoded outgoing stream that attempts send and recordings store; it can be muted or switched off.
final class OutgoingStream: Sendable {
    let kind: MediaKind
    let codec: Codec
    let isPassthrough: Bool
    /// The name of the template in `payloaders/` that packetizes the stream.
    let payloader: String
    /// The hub of the samples to send: silence while the microphone is muted, no samples while the camera is
    /// off.
    let hub = SampleHub()

    private let gate = Mutex(Gate())
    private let encoder: EncoderPipeline?
    private let attachment = Mutex<SampleHub.Attachment?>(nil)

    private struct Gate {
        var isClosed = false
        var waitsForKeyframe = false

        /// Decides whether to send a sample, silence in its place, or nothing.
        mutating func decide(on sample: MediaSample, of kind: MediaKind) -> Passage {
            if isClosed { return kind == .audio ? .silence : .nothing }
            if waitsForKeyframe, !sample.isKeyframe { return .nothing }
            waitsForKeyframe = false
            return .untouched
        }
    }

    private enum Passage { case untouched, silence, nothing }

    init(
        kind: MediaKind,
        codec: Codec,
        payloader: String? = nil,
        from encoded: SampleHub,
        encoder: EncoderPipeline?
    ) {
        self.kind = kind
        self.codec = codec
        self.payloader = payloader ?? codec.pipelineName
        self.encoder = encoder
        isPassthrough = encoder == nil
        let attachment = encoded.attach { [weak self] in self?.pass($0) }
        self.attachment.withLock { $0 = attachment }
    }

    /// Mutes a microphone or switches a camera off; a camera that is switched on again starts with a
    /// keyframe.
    func setClosed(_ closed: Bool) {
        let opens = gate.withLock { gate in
            defer { gate.isClosed = closed }
            guard gate.isClosed, !closed else { return false }
            gate.waitsForKeyframe = kind == .video
            return true
        }
        if opens { makeKeyframe() }
    }

    /// The factory name of the encoder element, such as `x264enc`; nil if the stream is passed through.
    var encoderName: String? { encoder?.elementName }

    /// Requests a keyframe from the encoder; a file cannot provide one on request.
    func makeKeyframe() { encoder?.makeKeyframe() }

    /// Sets the bit rate in bits per second; a passed-through stream is unchanged.
    func setBitrate(_ bitrate: Int) { encoder?.setBitrate(bitrate) }

    /// Sets the share of lost packets, from 0 to 1, which an encoder may compensate for.
    func setLoss(_ loss: Double) { encoder?.setLoss(min(max(loss, 0), 1)) }

    /// The encoder's frame size before `setResolution` is applied; nil before the first frame or without an
    /// encoder.
    var encodedResolution: (width: Int, height: Int)? { encoder?.resolution }

    /// Scales the resolution and frame rate.
    func setResolution(_ rung: ResolutionLadder.Rung) {
        encoder?.reduce(scale: rung.scale, rate: rung.pace)
    }

    func close() async {
        attachment.withLock { $0 }?.detach()
        await encoder?.close()
    }

    private func pass(_ sample: MediaSample) {
        if isPassthrough, sample.withBytes({ PayloadableFrame.accepts($0, codec) }) != true { return }
        switch gate.withLock({ $0.decide(on: sample, of: kind) }) {
        case .untouched: hub.publish(sample)
        case .silence: hub.publish(Silence.replacing(sample, in: codec))
        case .nothing: break
        }
    }
}
