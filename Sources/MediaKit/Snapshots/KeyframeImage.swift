package import Basics
package import GStreamerKit
internal import Synchronization

/// A converter from a single keyframe to an image.
@MediaActor
package struct KeyframeImage {
    let library: PipelineLibrary
    let limit: DecodingLimit

    /// An error for a keyframe whose resolution exceeds the limit, described in one sentence.
    package struct Refusal: Error, Hashable, CustomStringConvertible {
        package var description: String
    }

    package init(library: PipelineLibrary, limit: DecodingLimit) {
        (self.library, self.limit) = (library, limit)
    }

    private nonisolated static let decodingLimit = Duration.seconds(5)

    /// Decodes a keyframe and encodes it in an image format.
    ///
    /// - Throws: `Refusal`, `MediaFailure`, `GStreamerError`, or `CancellationError`.
    package func bytes(of keyframe: MediaSample, as format: SnapshotFile.Format) async throws -> [UInt8] {
        try await convert(keyframe, "viewers/snapshot", ["encoder": format.encoder]) { sample in
            sample.withBytes { Array($0) }
        }
    }

    /// Decodes a keyframe and, if it is larger than `area`, scales it down with its aspect ratio.
    ///
    /// - Throws: `Refusal`, `MediaFailure`, `GStreamerError`, or `CancellationError`.
    package func frame(of keyframe: MediaSample, inside area: Resolution) async throws -> VideoFrame {
        let size = ["width": "\(area.width)", "height": "\(area.height)"]
        return try await convert(keyframe, "viewers/preview-image", size, VideoFrame.init)
    }

    /// Passes a keyframe through a pipeline template, and converts the first sample that the pipeline outputs.
    private func convert<Image: Sendable>(
        _ keyframe: MediaSample,
        _ template: String,
        _ values: [String: String],
        _ convert: @escaping @Sendable (MediaSample) -> Image?
    ) async throws -> Image {
        let keyframe = try decodable(keyframe)
        let decoding = try DecodingPipeline(template, values, from: library, name: "snapshot")
        let pipeline = decoding.pipeline
        let picture = FirstImage<Image>()
        _ = decoding.output.attach { sample in picture.store { convert(sample) } }
        defer { try? pipeline.setState(.null) }
        try pipeline.setState(.playing)
        decoding.input.push(keyframe)
        decoding.input.endOfStream()
        try await Self.end(of: pipeline.messages)
        guard let image = picture.image else {
            throw MediaFailure.pipeline(element: "snapshot", message: "the keyframe cannot be decoded")
        }
        return image
    }

    /// Returns the keyframe in the form in which it may be decoded.
    ///
    /// - Throws: `Refusal` if its resolution exceeds the limit, or `MediaFailure` if it cannot be parsed.
    private func decodable(_ keyframe: MediaSample) throws -> MediaSample {
        // The size of other video, and of H.264 without start codes, would not be found.
        guard let codec = Codec(mediaType: keyframe.caps.mediaType), codec.kind == .video,
            codec != .h264 || keyframe.caps.string("stream-format") == "byte-stream"
        else {
            throw MediaFailure.pipeline(
                element: "snapshot",
                message: "the resolution of the video cannot be checked"
            )
        }
        // One picture takes little memory in any format.
        var gate = DecodingGate(codec, limit: limit, acceptsAllFormats: true)
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

/// The first image that a pipeline produces, stored on its streaming thread.
private final class FirstImage<Image: Sendable>: Sendable {
    private let content = Mutex<Image?>(nil)

    var image: Image? { content.withLock { $0 } }

    func store(_ make: () -> Image?) {
        guard image == nil, let new = make() else { return }
        content.withLock { $0 = $0 ?? new }
    }
}
