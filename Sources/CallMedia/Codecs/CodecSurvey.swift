internal import CallCore
internal import GStreamerKit

/// Tries every encoder there is a description of, and looks for decoders.
package struct CodecSurvey: Sendable {
    private let library: PipelineLibrary

    package init(library: PipelineLibrary) { self.library = library }

    /// One after the other, in our order of preference; single consumer.
    package func supports() -> AsyncStream<CodecSupport> {
        let left = RemainingCodecs()
        return AsyncStream { [library] in
            guard let codec = await left.next() else { return nil }
            return await Self.support(codec, library)
        }
    }

    /// What is left of the codecs.
    private actor RemainingCodecs {
        private var codecs = Codec.allCases[...]

        func next() -> Codec? { codecs.popFirst() }
    }

    private static func support(_ codec: Codec, _ library: PipelineLibrary) async -> CodecSupport {
        var tried: [CodecSupport.Encoder] = []
        let hardware = EncoderSelection.hardware(for: codec, in: library)
        for name in hardware + [codec.pipelineName] {
            let trial = await EncoderTrial.run(name, codec: codec, library: library)
            let encoder = CodecSupport.Encoder(
                name: name,
                isHardware: hardware.contains(name),
                element: trial.element,
                reason: trial.reason
            )
            tried.append(encoder)
        }
        return CodecSupport(
            codec: codec,
            passesThrough: library.names.contains("streams/\(codec.pipelineName)"),
            tried: tried,
            decoder: GStreamer.decoder(of: codec.mediaType)
        )
    }
}

extension EncoderTrial {
    /// Why the encoder is not to be used; nil where it works.
    var reason: String? {
        switch outcome {
        case .works: nil
        case .missing(let element): "there is no element \(element)"
        case .fails(let reason): reason
        }
    }
}
