internal import AppFlow
internal import ArgumentParser
internal import Basics
internal import MediaKit

/// The command that lists for each codec whether this computer can send and receive it, and with which
/// encoders and decoders.
struct CodecsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "codecs",
        abstract: "List the codecs of this machine, with their encoders and decoders.",
        usage: "callrunner codecs <options>",
        discussion: """
            Every encoder is tried: one that produces no keyframe is skipped, and the
            reason is shown. The first working encoder is used, hardware before software.
            The exit code is 3 if a codec can be neither encoded nor decoded.

            EXAMPLES
              callrunner codecs
              callrunner codecs --json
            """
    )

    @OptionGroup var output: OutputFlags

    @Option(help: ArgumentHelp("Folder with the pipeline templates.", valueName: "dir"))
    var pipelines: String?

    func run() async throws {
        try await Surroundings.run(output) { surroundings in
            let installation = try Installation(
                pipelines: try surroundings.settings.text(.pipelines, pipelines),
                environment: surroundings.environment
            )
            var isWhole = true
            for await support in CodecSurvey(library: installation.library).supports() {
                if support.encoder == nil, support.decoder == nil { isWhole = false }
                if surroundings.writesJSON {
                    await surroundings.events.write("codec", Self.fields(of: support))
                } else {
                    Self.show(support)
                }
            }
            return isWhole ? 0 : RunStatus.mediaFailed.rawValue
        }
    }

    private static func show(_ support: CodecSupport) {
        let ways = [support.passesThrough ? "files unchanged" : nil, support.encoder.map { "by \($0)" }]
        let sends = ways.compactMap(\.self).joined(separator: ", else ")
        let name = support.codec.rawValue
        print(
            "\(name)\(String(repeating: " ", count: max(1, 6 - name.count)))"
                + "send: \(sends.isEmpty ? "not at all" : sends)"
                + " · receive: \(support.decoder.map { "by \($0)" } ?? "recording only, there is no decoder")"
        )
        for encoder in support.tried {
            print("      \(encoder.name): \(encoder.verdict)")
        }
    }

    private static func fields(of support: CodecSupport) -> JSONObject {
        var fields: JSONObject = [
            "codec": .string(support.codec.rawValue),
            "kind": .string(support.codec.kind.rawValue),
            "passthrough": .bool(support.passesThrough),
            "encoders": .array(support.tried.map { .object(Self.fields(of: $0)) }),
        ]
        if let encoder = support.encoder { fields["encoder"] = .string(encoder) }
        if let decoder = support.decoder { fields["decoder"] = .string(decoder) }
        return fields
    }

    private static func fields(of encoder: CodecSupport.Encoder) -> JSONObject {
        var fields: JSONObject = [
            "name": .string(encoder.name), "hardware": .bool(encoder.isHardware),
            "works": .bool(encoder.works),
        ]
        if let element = encoder.element { fields["element"] = .string(element) }
        if let reason = encoder.reason { fields["reason"] = .string(reason) }
        return fields
    }
}
