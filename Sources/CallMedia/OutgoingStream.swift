internal import CallCore
internal import GStreamerKit
internal import Synchronization

/// One encoded stream as it goes out: past the mute and camera switches, to attempts and recordings.
final class OutgoingStream: Sendable {
    let kind: MediaKind
    let codec: Codec
    let isPassthrough: Bool
    /// What is really sent.
    let hub = SampleHub()

    private let gate = Mutex(Gate())
    private let encoder: EncoderStage?
    private let attachment = Mutex<SampleHub.Attachment?>(nil)

    private struct Gate {
        var isClosed = false
        var waitsForKeyframe = false
    }

    /// Opus for 20 ms of stereo silence: one CELT frame without data (RFC 6716 §3.1).
    private static let silence: [UInt8] = [0xFC, 0xFF, 0xFE]

    init(kind: MediaKind, codec: Codec, from encoded: SampleHub, encoder: EncoderStage?) {
        self.kind = kind
        self.codec = codec
        self.encoder = encoder
        isPassthrough = encoder == nil
        let attachment = encoded.attach { [weak self] in self?.pass($0) }
        self.attachment.withLock { $0 = attachment }
    }

    /// Mutes a microphone or covers a camera; opening begins with a keyframe.
    func setClosed(_ closed: Bool) {
        gate.withLock { gate in
            gate.isClosed = closed
            if !closed { gate.waitsForKeyframe = kind == .video }
        }
        if !closed { makeKeyframe() }
    }

    func makeKeyframe() { encoder?.makeKeyframe() }

    func close() async {
        attachment.withLock { $0 }?.detach()
        await encoder?.close()
    }

    private func pass(_ sample: MediaSample) {
        let (isClosed, waits) = gate.withLock { gate in
            if gate.waitsForKeyframe, sample.isKeyframe { gate.waitsForKeyframe = false }
            return (gate.isClosed, gate.waitsForKeyframe)
        }
        switch (kind, isClosed) {
        case (.audio, true): hub.publish(sample.replacing(with: Self.silence))
        case (.video, true): break
        case (_, false): if !waits { hub.publish(sample) }
        }
    }
}
