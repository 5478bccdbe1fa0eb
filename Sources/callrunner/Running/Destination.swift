internal import CallMedia

/// Where a recording goes, and so in which format.
struct Destination: Hashable {
    let template: NameTemplate
    let container: Container

    /// - Throws: `SettingText.Problem` for a name that tells no format, `NameTemplate.Problem` for one with an
    ///   unknown placeholder.
    init(_ text: String) throws {
        guard let container = Container(path: text) else {
            throw SettingText.Problem("a recording ends in .mkv, .mp4 or .webm, and “\(text)” does not")
        }
        (template, self.container) = (try NameTemplate(text), container)
    }

    /// Where a file named exactly so goes.
    init(path: String, container: Container) {
        (template, self.container) = (NameTemplate(literal: path), container)
    }

    /// For a file of both sides, which only Matroska holds.
    static func both(_ text: String) throws -> Destination {
        let destination = try Destination(text)
        guard destination.container == .mkv else {
            throw SettingText.Problem("a recording of both sides ends in .mkv, and “\(text)” does not")
        }
        return destination
    }

    /// Takes the place on disk, for the user alone where it `isPrivate`.
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
