internal import CallCore
internal import GStreamerKit

/// Which description encodes on this machine: a hardware encoder's that has proved itself, else the software's.
@MediaActor
final class EncoderSelection {
    private let library: PipelineLibrary
    private let warn: @Sendable (String) -> Void
    private var choices: [Codec: Task<String, Never>] = [:]

    /// Chooses among the descriptions of `library`; `warn` hears of hardware encoders that are there and fail.
    nonisolated init(library: PipelineLibrary, warn: @escaping @Sendable (String) -> Void) {
        self.library = library
        self.warn = warn
    }

    /// The descriptions of hardware encoders for a codec, in the order in which they are tried.
    nonisolated static func hardware(for codec: Codec, in library: PipelineLibrary) -> [String] {
        library.names.filter { $0.hasPrefix("encoders/hardware/\(codec.pipelineName)-") }
            .map { String($0.dropFirst("encoders/".count)) }
    }

    /// The name below `encoders/` of the description that encodes for a peer; tried once, with real pictures.
    func description(for choice: CodecPlan.Choice) async -> String {
        // Only our own encoder is told how large a slice may be.
        guard choice.h264?.packetizationMode != .singleUnit else { return choice.pipelineName }
        return await description(for: choice.codec)
    }

    /// As above, where slices may have any size.
    func description(for codec: Codec) async -> String {
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
            case .fails(let reason): warn("the encoder \(name) is passed over: \(reason)")
            }
        }
        return codec.pipelineName
    }
}
