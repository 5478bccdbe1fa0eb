package import GStreamerKit

/// Chooses an encoder template: a hardware encoder that passed a trial, else the software encoder.
@MediaActor
package final class EncoderSelection {
    private let library: PipelineLibrary
    private let warn: @Sendable (String) -> Void
    private var choices: [Codec: Task<String, Never>] = [:]

    /// Creates a selection among the templates of `library`; `warn` receives a sentence about each hardware
    /// encoder that exists but fails.
    package nonisolated init(library: PipelineLibrary, warn: @escaping @Sendable (String) -> Void) {
        self.library = library
        self.warn = warn
    }

    /// Returns the templates of hardware encoders for a codec, in the order in which they are tried.
    nonisolated static func hardware(for codec: Codec, in library: PipelineLibrary) -> [String] {
        library.names.filter { $0.hasPrefix("encoders/hardware/\(codec.pipelineName)-") }
            .map { String($0.dropFirst("encoders/".count)) }
    }

    /// Returns the name, below `encoders/`, of the template for a codec and a peer that accepts slices of any
    /// size; the hardware encoders of each codec are tried only once.
    package func description(for codec: Codec) async -> String {
        let task = choices[codec] ?? Task { await tried(codec) }
        choices[codec] = task
        return await task.value
    }

    private func tried(_ codec: Codec) async -> String {
        for name in Self.hardware(for: codec, in: library) {
            let trial = await EncoderTrial.run(name, codec: codec, library: library)
            switch trial.outcome {
            case .works: return name
            case .missing: break
            case .fails(let reason): warn("the encoder \(name) is not used: \(reason)")
            }
        }
        return codec.pipelineName
    }
}
