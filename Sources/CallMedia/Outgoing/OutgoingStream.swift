internal import CallCore
internal import GStreamerKit
internal import Synchronization

/// One encoded stream as it goes out: past the mute and camera switches, to attempts and recordings.
final class OutgoingStream: Sendable {
    let kind: MediaKind
    let codec: Codec
    let isPassthrough: Bool
    /// The name of the description below `payloaders/` that cuts it into packets.
    let payloader: String
    /// What is really sent.
    let hub = SampleHub()

    private let gate = Mutex(Gate())
    private let encoder: EncoderPipeline?
    private let attachment = Mutex<SampleHub.Attachment?>(nil)

    private struct Gate {
        var isClosed = false
        var waitsForKeyframe = false

        /// What becomes of a sample.
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

    /// Mutes a microphone or covers a camera; opening again begins with a keyframe.
    func setClosed(_ closed: Bool) {
        let opens = gate.withLock { gate in
            defer { gate.isClosed = closed }
            guard gate.isClosed, !closed else { return false }
            gate.waitsForKeyframe = kind == .video
            return true
        }
        if opens { makeKeyframe() }
    }

    /// The element that encodes it, as in `x264enc`; nil where nothing does.
    var encoderName: String? { encoder?.elementName }

    /// Asks the encoder for a keyframe; a file's next one comes when it comes.
    func makeKeyframe() { encoder?.makeKeyframe() }

    /// Bits per second; a stream that is not encoded here stays as it is.
    func setBitrate(_ bitrate: Int) { encoder?.setBitrate(bitrate) }

    /// Packets lost on the way, from 0 to 1, that an encoder may make up for.
    func setLoss(_ loss: Double) { encoder?.setLoss(min(max(loss, 0), 1)) }

    /// The whole size of the pictures that are encoded here; nil before the first one.
    var encodedPicture: (width: Int, height: Int)? { encoder?.picture }

    /// Encodes smaller or fewer pictures.
    func setPicture(_ rung: ResolutionLadder.Rung) { encoder?.setPicture(rung) }

    func close() async {
        attachment.withLock { $0 }?.detach()
        await encoder?.close()
    }

    private func pass(_ sample: MediaSample) {
        switch gate.withLock({ $0.decide(on: sample, of: kind) }) {
        case .untouched: hub.publish(sample)
        case .silence: hub.publish(Silence.replacing(sample, in: codec))
        case .nothing: break
        }
    }
}
