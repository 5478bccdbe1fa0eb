internal import Basics
package import GStreamerKit
internal import Synchronization

/// A converter from a single keyframe to an image.
@MediaActor
package struct KeyframeImage {
    let format: SnapshotFile.Format
    let library: PipelineLibrary
    let limit: DecodingLimit

    /// An error for a keyframe whose resolution exceeds the limit, described in one sentence.
    package struct Refusal: Error, Hashable, CustomStringConvertible {
        package var description: String
    }

    package init(format: SnapshotFile.Format, library: PipelineLibrary, limit: DecodingLimit) {
        (self.format, self.library, self.limit) = (format, library, limit)
    }

    private nonisolated static let decodingLimit = Duration.seconds(5)

    /// Decodes a keyframe and encodes it in `format`.
    ///
    /// - Throws: `Refusal`, `MediaFailure`, `GStreamerError`, or `CancellationError`.
    package func bytes(of keyframe: MediaSample) async throws -> [UInt8] {
        let keyframe = try decodable(keyframe)
        let decoding = try DecodingPipeline(
            "viewers/snapshot",
            ["encoder": format.encoder],
            from: library,
            name: "snapshot"
        )
        let pipeline = decoding.pipeline
        let picture = EncodedImage()
        _ = decoding.output.attach { sample in
            sample.withBytes { bytes in picture.store(Array(bytes)) }
        }
        defer { try? pipeline.setState(.null) }
        try pipeline.setState(.playing)
        decoding.input.push(keyframe)
        decoding.input.endOfStream()
        try await Self.end(of: pipeline.messages)
        guard let bytes = picture.bytes else {
            throw MediaFailure.pipeline(element: "snapshot", message: "the keyframe cannot be decoded")
        }
        return bytes
    }

    /// Returns the keyframe in the form in which it may be decoded.
    ///
    /// - Throws: `Refusal` if its resolution exceeds the limit, or `MediaFailure` if it cannot be parsed.
    private func decodable(_ keyframe: MediaSample) throws -> MediaSample {
        guard let codec = Codec(mediaType: keyframe.caps.mediaType) else { return keyframe }
        var gate = DecodingGate(codec, limit: limit)
        let verdict = keyframe.withBytes { gate.judge($0, isKeyframe: true) }
        if let decodable = keyframe.passing(verdict) { return decodable }
        guard let size = gate.refused else {
            throw MediaFailure.pipeline(element: "snapshot", message: "the keyframe cannot be parsed")
        }
        throw Refusal(description: "the peer's video of \(limit.refusal(of: size))")
    }

    private nonisolated static func end(of messages: AsyncStream<BusMessage>) async throws {
        let end: Void? = try await withDeadline(decodingLimit) {
            for await message in messages {
                switch message {
                case .endOfStream: return
                case .error(let element, _, let text, _):
                    throw MediaFailure.pipeline(element: element, message: text)
                default: break
                }
            }
        }
        guard end != nil else {
            throw MediaFailure.pipeline(element: "snapshot", message: "decoding a keyframe takes too long")
        }
    }
}

extension SampleHub {
    /// Waits for the next keyframe and returns it; nil if the task is cancelled first.
    package func nextKeyframe() async -> MediaSample? {
        let (keyframes, keyframe) = AsyncStream.makeStream(
            of: MediaSample.self,
            bufferingPolicy: .bufferingOldest(1)
        )
        let attachment = attach(fromKeyframe: true) {
            keyframe.yield($0)
            keyframe.finish()
        }
        defer { attachment.detach() }
        for await sample in keyframes { return sample }
        return nil
    }
}

/// The output of an image encoder, written on its streaming thread.
private final class EncodedImage: Sendable {
    private let content = Mutex<[UInt8]?>(nil)

    var bytes: [UInt8]? { content.withLock { $0 } }

    func store(_ bytes: [UInt8]) { content.withLock { $0 = $0 ?? bytes } }
}
