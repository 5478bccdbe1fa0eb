internal import MediaKit

/// The destination of a recording: its file name and the container that the name implies.
struct Destination: Hashable {
    let template: NameTemplate
    let container: Container

    /// Parses a file name.
    ///
    /// - Throws: `SettingText.Problem` for a name without a known extension, `NameTemplate.Problem` for an
    ///   unknown placeholder.
    init(_ text: String) throws {
        guard let container = Container(path: text) else {
            throw SettingText.Problem(
                "the name of a recording must end in .mkv, .mp4 or .webm, and “\(text)” does not"
            )
        }
        (template, self.container) = (try NameTemplate(text), container)
    }

    /// Creates a destination whose file has exactly this name, even if the name contains braces.
    init(path: String, container: Container) {
        (template, self.container) = (NameTemplate(literal: path), container)
    }

    /// Parses the file name of a recording of both sides, which must be a Matroska file.
    static func both(_ text: String) throws -> Destination {
        let destination = try Destination(text)
        guard destination.container == .mkv else {
            throw SettingText.Problem(
                "the name of a recording of both sides must end in .mkv, and “\(text)” does not"
            )
        }
        return destination
    }

    /// Reserves the file on disk; with `isPrivate`, only the user can access it.
    ///
    /// - Throws: `MediaFailure.recording`.
    func reserve(
        overwrites: Bool,
        segment: Duration? = nil,
        isPrivate: Bool = false,
        _ values: [NameTemplate.Placeholder: String] = [:]
    ) throws -> RecordingFile {
        try RecordingFile(
            named: template.filled(values),
            container: container,
            overwrite: overwrites,
            isPrivate: isPrivate,
            segmentLength: segment
        )
    }
}
