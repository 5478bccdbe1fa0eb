internal import ChatCore

/// The plain description of a file; the raw value is the end of the name of its text.
enum FileLabel: String, CaseIterable {
    case picture, audio, video, text, pdf, archive, document, table, slides, file

    /// The endings of names, by type; the first one is that of files without a name.
    private static let endings = [
        "image/jpeg": ["jpg", "jpeg"], "image/png": ["png"], "image/gif": ["gif"], "image/webp": ["webp"],
        "audio/ogg": ["ogg", "oga", "opus"], "audio/flac": ["flac"], "audio/mpeg": ["mp3"],
        "audio/wav": ["wav"], "audio/mp4": ["m4a", "mp4"], "video/quicktime": ["mov"],
        "audio/webm": ["weba", "webm", "mka"], "video/mp4": ["mp4", "m4v"], "video/webm": ["webm", "mkv"],
        "application/pdf": ["pdf"],
        "text/plain": ["txt"],
    ]

    private static let named: [FileLabel: Set<String>] = [
        .text: ["txt", "text", "md", "log", "json", "xml", "yaml", "yml", "ini", "conf"],
        .pdf: ["pdf"],
        .archive: ["zip", "tar", "gz", "tgz", "xz", "bz2", "zst", "7z", "rar"],
        .document: ["odt", "doc", "docx", "rtf"],
        .table: ["csv", "ods", "xls", "xlsx"],
        .slides: ["odp", "ppt", "pptx"],
    ]

    /// Describes a file by the type that its first bytes show, or else by its name, which may be empty.
    init(_ media: ChatMedia, name: String) {
        switch media.kind {
        case .picture: self = .picture
        case .audio: self = .audio
        case .video: self = .video
        case .file where media.type == "application/pdf": self = .pdf
        case .file where media.type.hasPrefix("text/"): self = .text
        case .file:
            let ending = Self.ending(of: name)
            self = ending.flatMap { end in Self.named.first { $0.value.contains(end) }?.key } ?? .file
        }
    }

    /// Returns the ending of a name in small letters, without the dot; nil if there is none.
    static func ending(of name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        return name[name.index(after: dot)...].lowercased()
    }

    /// Returns the endings of the names of files of a type.
    static func endings(of type: String) -> [String] { endings[type] ?? [] }
}
