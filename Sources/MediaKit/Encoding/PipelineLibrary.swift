package import Basics
internal import FoundationEssentials

/// The pipeline templates on disk, in gst-launch syntax with `#` comments and `{placeholders}`.
package struct PipelineLibrary: Sendable {
    package let directory: String

    /// Creates a library of the templates in `directory`, which contains `sources/`, `encoders/` and further
    /// folders.
    package init(directory: String) { self.directory = directory }

    /// Returns the library in the first of `candidates` that contains one; nil if none does.
    package static func find(among candidates: [String]) -> PipelineLibrary? {
        candidates.first { directory in
            FileManager.default.fileExists(atPath: "\(directory)/sources/file.pipeline")
        }.map(PipelineLibrary.init)
    }

    /// Returns the template `name`, such as `encoders/vp8`, with its placeholders filled in.
    ///
    /// - Parameters:
    ///   - name: the name of the template below `directory`, without its extension.
    ///   - values: the values of the placeholders.
    /// - Returns: a pipeline in gst-launch syntax.
    /// - Throws: `MediaFailure.pipeline` if the file is missing or a placeholder has no value.
    package func description(
        _ name: String,
        _ values: [String: String] = [:]
    ) throws(MediaFailure) -> String {
        try Self.description(at: "\(directory)/\(name).pipeline", name: name, values)
    }

    /// Returns the template in the file at `path`, with its placeholders filled in; the file need not belong
    /// to a library.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - name: the name for error messages.
    ///   - values: the values of the placeholders.
    /// - Returns: a pipeline in gst-launch syntax.
    /// - Throws: `MediaFailure.pipeline` if the file is missing or a placeholder has no value.
    package static func description(
        at path: String,
        name: String,
        _ values: [String: String] = [:]
    ) throws(MediaFailure) -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .pipeline(element: name, message: "there is no readable pipeline template at \(path)")
        }
        var text = withoutComments(String(decoding: data, as: UTF8.self))
        for (key, value) in values { text = text.replacing("{\(key)}", with: value) }
        // A placeholder is a single word in braces; lists in GStreamer's syntax contain commas.
        if let unknown = text.firstMatch(of: /\{[a-z]+\}/) {
            throw .pipeline(element: name, message: "\(path) has an unknown placeholder \(unknown.output)")
        }
        return text
    }

    /// The names of all templates, sorted.
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
