/// The default folders and names of recordings and snapshots started by the user.
package struct OutputFolders: Hashable, Sendable {
    /// The folder of recordings, without a trailing slash.
    package var videos: String
    /// The folder of snapshots, without a trailing slash.
    package var pictures: String
    /// The values of the placeholders in file names: the room, our own name and the number of the call.
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

    /// The path templates for a new recording in order of preference: first without a number, then
    /// numbered from 2 to 99.
    ///
    /// The numbers are needed because several recordings may start within one second.
    package var video: some Sequence<String> { Self.templates(in: videos, "mkv") }

    /// The path templates for a new snapshot in order of preference: first without a number, then
    /// numbered from 2 to 99.
    package var picture: some Sequence<String> { Self.templates(in: pictures, "png") }

    private static func templates(in folder: String, _ ending: String) -> some Sequence<String> {
        let folder = folder.replacing("{", with: "{{").replacing("}", with: "}}")
        return (1...99).lazy.map { "\(folder)/\(name)\($0 == 1 ? "" : "-\($0)").\(ending)" }
    }
}
