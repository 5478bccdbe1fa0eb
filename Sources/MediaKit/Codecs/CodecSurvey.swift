internal import GStreamerKit

/// Tries all encoder templates and looks for decoders.
package struct CodecSurvey: Sendable {
    private let library: PipelineLibrary

    package init(library: PipelineLibrary) { self.library = library }

    /// Returns the support for each codec, one after the other, in order of preference.
    ///
    /// - Returns: a stream for a single consumer.
    package func supports() -> AsyncStream<CodecSupport> {
        let left = RemainingCodecs()
        return AsyncStream { [library] in
            guard let codec = await left.next() else { return nil }
            return await Self.support(codec, library)
        }
    }

    /// The codecs that have not been tried yet.
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
    /// The reason why the encoder is not used; nil if it works.
    package var reason: String? {
        switch outcome {
        case .works: nil
        case .missing(let element): "there is no element \(element)"
        case .fails(let reason): reason
        }
    }
}
