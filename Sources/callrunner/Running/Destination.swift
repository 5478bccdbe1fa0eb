internal import CallMedia

/// Where a recording goes, and so in which format.
struct Destination: Hashable {
    let path: String
    let container: Container

    /// - Throws: `SettingText.Problem` for a name that tells no format.
    init(_ path: String) throws {
        guard let container = Container(path: path) else {
            throw SettingText.Problem("a recording ends in .mkv, .mp4 or .webm, and “\(path)” does not")
        }
        (self.path, self.container) = (path, container)
    }

    /// Takes the place on disk.
    ///
    /// - Throws: `MediaFailure.recording`.
    func reserve(overwrites: Bool) throws -> RecordingFile {
        try RecordingFile(path: path, container: container, overwrite: overwrites)
    }
}
