package import CallCore
internal import FoundationEssentials

/// The pipeline descriptions on disk: gst-launch syntax, `#` comments, `{placeholders}`.
package struct PipelineLibrary: Sendable {
    package let directory: String

    /// - Parameter directory: holds `sources/`, `encoders/` and the others.
    package init(directory: String) { self.directory = directory }

    /// The first of `candidates` that is a library.
    package static func find(among candidates: [String]) -> PipelineLibrary? {
        candidates.first { directory in
            FileManager.default.fileExists(atPath: "\(directory)/sources/file.pipeline")
        }.map(PipelineLibrary.init)
    }

    /// The description `name` (as in `encoders/vp8`) with its placeholders filled in.
    ///
    /// - Throws: `MediaFailure.pipeline` where the file is missing or a placeholder is left over.
    package func description(
        _ name: String,
        _ values: [String: String] = [:]
    ) throws(MediaFailure) -> String {
        try Self.description(at: "\(directory)/\(name).pipeline", name: name, values)
    }

    /// The description in the file at `path`, wherever it lies, as `description(_:_:)` reads it.
    package static func description(
        at path: String,
        name: String,
        _ values: [String: String] = [:]
    ) throws(MediaFailure) -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .pipeline(element: name, message: "no pipeline description at \(path)")
        }
        var text = withoutComments(String(decoding: data, as: UTF8.self))
        for (key, value) in values { text = text.replacing("{\(key)}", with: value) }
        // A single word in braces; GStreamer's own lists hold several, with commas between them.
        if let unknown = text.firstMatch(of: /\{[a-z]+\}/) {
            throw .pipeline(element: name, message: "\(path) has an unknown placeholder \(unknown.output)")
        }
        return text
    }

    /// The names of all descriptions, sorted.
    package var names: [String] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? []
        return paths.filter { $0.hasSuffix(".pipeline") }.map { String($0.dropLast(9)) }.sorted()
    }

    private static func withoutComments(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.drop(while: \.isWhitespace).hasPrefix("#") }
            .joined(separator: "\n")
    }
}
