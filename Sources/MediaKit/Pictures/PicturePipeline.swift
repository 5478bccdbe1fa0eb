internal import Basics
internal import GStreamerKit

/// Converts the bytes of one picture with a pipeline that exists only during the conversion.
///
/// The elements are not in the pipeline templates: they are part of the checks of untrusted bytes, so the decoders must
/// not be configurable.
enum PicturePipeline {
    /// The time limit for a picture.
    private static let timeout = Duration.seconds(5)

    /// Passes `bytes` through `elements`, and converts the first sample that they output.
    ///
    /// - Parameters:
    ///   - bytes: All bytes of the picture.
    ///   - type: Their media type.
    ///   - elements: Linked elements in gst-launch syntax.
    ///   - convert: Converts the sample, on a streaming thread.
    /// - Returns: The result of `convert`.
    /// - Throws: `PictureError.damaged`, `.unavailable` or `.cancelled`.
    static func output<Output: Sendable>(
        of bytes: [UInt8],
        _ type: String,
        through elements: String,
        _ convert: @escaping @Sendable (MediaSample) -> Output?
    ) async throws(PictureError) -> Output {
        let address = "data:\(type);base64,\(Base64.encode(bytes))"
        do {
            return try await run(address, bytes.count, elements, convert)
        } catch let error as PictureError {
            throw error
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .unavailable("\(error)")
        }
    }

    @MediaActor
    private static func run<Output: Sendable>(
        _ address: String,
        _ count: Int,
        _ elements: String,
        _ convert: @escaping @Sendable (MediaSample) -> Output?
    ) async throws -> Output {
        let text = "dataurisrc name=source blocksize=\(max(1, count)) ! \(elements) "
        let pipeline = try Pipeline(
            parsing: text + "! appsink name=output sync=false async=false",
            name: "picture"
        )
        guard let source = pipeline.element(named: "source"), let sink = pipeline.element(named: "output")
        else { throw PictureError.damaged }
        source.set("uri", address)
        let (outputs, output) = AsyncStream.makeStream(
            of: Output?.self,
            bufferingPolicy: .bufferingOldest(1)
        )
        _ = AppSink(sink).hub.attach { output.yield(convert($0)) }
        let messages = pipeline.messages
        do {
            try pipeline.setState(.playing)
            guard try await withDeadline(timeout, { await end(of: messages) }) != nil else {
                throw PictureError.damaged
            }
            try Task.checkCancellation()
        } catch {
            await abandon(pipeline)
            throw error
        }
        try? pipeline.setState(.null)
        output.finish()
        for await case let output? in outputs { return output }
        throw PictureError.damaged
    }

    private nonisolated static func end(of messages: AsyncStream<BusMessage>) async {
        for await message in messages {
            switch message {
            case .endOfStream, .error: return
            default: break
            }
        }
    }

    /// Stops a pipeline and waits for its decoder, which may be busy; runs on an actor that calls do not use.
    @PreviewActor
    private static func abandon(_ pipeline: Pipeline) { try? pipeline.setState(.null) }
}
