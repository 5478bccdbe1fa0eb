internal import Basics
internal import GStreamerKit

/// The result of a trial run of an encoder template.
package struct EncoderTrial: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        /// The encoder produces keyframes.
        case works
        /// An element of the template is missing.
        case missing(element: String)
        case fails(reason: String)
    }

    /// The name of the template below `encoders/`.
    var name: String
    /// The factory name of the encoder element; nil if the pipeline could not be built.
    package var element: String?
    var outcome: Outcome

    private static let limit = Duration.seconds(3)
    /// A source of two seconds of video, so that encoders with look-ahead produce a frame; every encoder
    /// accepts 640×360.
    private static let videoInput = """
        videotestsrc num-buffers=60 ! video/x-raw,format=I420,width=640,height=360,framerate=30/1
            ! appsink name=output sync=false async=false
        """
    private static let audioInput = """
        audiotestsrc num-buffers=50 samplesperbuffer=960
            ! audio/x-raw,format=S16LE,rate=48000,channels=2,layout=interleaved
            ! appsink name=output sync=false async=false
        """

    /// Encodes a test stream with the template `name` below `encoders/` until the first keyframe.
    package static func run(_ name: String, codec: Codec, library: PipelineLibrary) async -> EncoderTrial {
        await perform(name, codec, library)
    }

    @MediaActor
    private static func perform(
        _ name: String,
        _ codec: Codec,
        _ library: PipelineLibrary
    ) async -> EncoderTrial {
        let (failures, failure) = AsyncStream.makeStream(of: MediaFailure.self)
        do {
            let pipeline = try Pipeline(
                parsing: codec.kind == .video ? videoInput : audioInput,
                name: "trial"
            )
            guard let output = pipeline.element(named: "output") else {
                throw GStreamerError.description("it has no appsink “output”")
            }
            let track = SourceTrack(kind: codec.kind, format: .raw, hub: AppSink(output).hub)
            let encoder = try EncoderPipeline(
                track,
                with: name,
                bitrate: codec.kind == .video ? 1_000_000 : 64_000,
                library: library,
                failures: failure
            )
            let (keyframes, keyframe) = AsyncStream.makeStream(of: Void.self)
            let attachment = encoder.hub.attach(fromKeyframe: true) { _ in keyframe.yield() }
            let outcome: Outcome
            do {
                try pipeline.setState(.playing)
                outcome = await firstOf(keyframes, failures)
            } catch { outcome = .fails(reason: "\(error)") }
            attachment.detach()
            try? pipeline.setState(.null)
            await encoder.close()
            return EncoderTrial(name: name, element: encoder.elementName, outcome: outcome)
        } catch GStreamerError.missingElement(let element) {
            return EncoderTrial(name: name, element: nil, outcome: .missing(element: element))
        } catch {
            let reason = MediaFailure(error).sentence
            return EncoderTrial(name: name, element: nil, outcome: .fails(reason: reason))
        }
    }

    private static func firstOf(
        _ keyframes: AsyncStream<Void>,
        _ failures: AsyncStream<MediaFailure>
    ) async -> Outcome {
        let outcome = try? await withDeadline(limit) {
            await withTaskGroup(of: Outcome?.self) { group in
                group.addTask {
                    for await _ in keyframes { return .works }
                    return nil
                }
                group.addTask {
                    for await failure in failures { return .fails(reason: failure.sentence) }
                    return nil
                }
                defer { group.cancelAll() }
                for await outcome in group { if let outcome { return outcome } }
                return .fails(reason: "the trial was interrupted")
            }
        }
        return outcome ?? .fails(reason: "no keyframe within \(DurationText(limit))")
    }
}
