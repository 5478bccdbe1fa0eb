/// Where what is kept of a call by hand goes, as long as nobody names a place.
package struct OutputFolders: Hashable, Sendable {
    /// Folders without a slash at their end.
    package var videos: String
    package var pictures: String
    /// What names of files may hold: room, own name, number of the call.
    package var names: [NameTemplate.Placeholder: String]

    package init(
        videos: String = ".",
        pictures: String = ".",
        names: [NameTemplate.Placeholder: String] = [:]
    ) {
        (self.videos, self.pictures, self.names) = (videos, pictures, names)
    }

    /// What a file is called that nobody names, without its ending.
    private static let name = "{room}-{peer}-{time}"

    /// The templates of a video's path, the best first: several may be begun within a second.
    var video: some Sequence<String> { Self.templates(in: videos, "mkv") }

    /// Those of a picture's path.
    var picture: some Sequence<String> { Self.templates(in: pictures, "png") }

    private static func templates(in folder: String, _ ending: String) -> some Sequence<String> {
        let folder = folder.replacing("{", with: "{{").replacing("}", with: "}}")
        return (1...99).lazy.map { "\(folder)/\(name)\($0 == 1 ? "" : "-\($0)").\(ending)" }
    }
}
