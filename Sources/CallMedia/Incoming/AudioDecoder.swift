internal import Basics
internal import GStreamerKit
internal import MediaKit

/// Decodes the peer's audio and passes on its samples, as they arrive.
@MediaActor
final class AudioDecoder: MediaDecoder {
    private let pipeline: Pipeline
    private let attachment: SampleHub.Attachment
    private let bus: BusReader

    /// Starts to decode the audio of `hub`.
    ///
    /// - Parameters:
    ///   - hub: the encoded audio.
    ///   - library: contains the pipeline templates.
    ///   - onError: receives a failure that ends decoding.
    ///   - onSamples: receives the samples on the streaming thread.
    /// - Throws: `MediaFailure`, or `GStreamerError`.
    init(
        of hub: SampleHub,
        library: PipelineLibrary,
        onError: @escaping @Sendable (MediaFailure) -> Void,
        onSamples: @escaping @Sendable (PeerConnection.AudioBuffer) -> Void
    ) throws {
        let decoding = try DecodingPipeline("viewers/samples", from: library, name: "decoder-audio")
        _ = decoding.output.attach { sample in
            let samples = sample.withBytes { $0.withMemoryRebound(to: Int16.self, Array.init) }
            if let samples, !samples.isEmpty { onSamples(PeerConnection.AudioBuffer(samples: samples)) }
        }
        pipeline = decoding.pipeline
        bus = BusReader(pipeline, onError: onError)
        try pipeline.setState(.playing)
        attachment = hub.attach { [input = decoding.input] in input.push($0) }
    }

    func close() async {
        attachment.detach()
        try? pipeline.setState(.null)
        await bus.close()
    }
}
