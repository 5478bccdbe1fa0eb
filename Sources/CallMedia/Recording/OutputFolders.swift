/// The default folders and names of recordings and snapshots started by the user.
package struct OutputFolders: Hashable, Sendable {
    /// The folders, without a trailing slash.
    package var videos: String
    package var pictures: String
    /// The values for file names: the room, our own name, the number of the call.
    package var names: [NameTemplate.Placeholder: String]

    package init(
        videos: String = ".",
        pictures: String = ".",
        names: [NameTemplate.Placeholder: String] = [:]
    ) {
        (self.videos, self.pictures, self.names) = (videos, pictures, names)
    }

    /// The default file name, without extension.
    private static let name = "{room}-{peer}-{time}"

    /// The templates of a video's path in order of preference; several videos may start within one second.
    var video: some Sequence<String> { Self.templates(in: videos, "mkv") }

    /// The templates of a snapshot's path in order of preference.
    var picture: some Sequence<String> { Self.templates(in: pictures, "png") }

    private static func templates(in folder: String, _ ending: String) -> some Sequence<String> {
        let folder = folder.replacing("{", with: "{{").replacing("}", with: "}}")
        return (1...99).lazy.map { "\(folder)/\(name)\($0 == 1 ? "" : "-\($0)").\(ending)" }
    }
}
