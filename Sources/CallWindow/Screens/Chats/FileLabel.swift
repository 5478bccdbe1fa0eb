internal import ChatCore

/// The kind of a file as described to the user; the raw value is the last part of its string key.
enum FileLabel: String, CaseIterable {
    case picture, audio, video, text, pdf, archive, document, table, slides, file

    /// The file name extensions by media type; the first one is used for files without a name.
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

    /// Selects the label by the media type of the content, or else by the extension of the name, which may be empty.
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

    /// Returns the extension of a name in lower case, without the dot; nil if there is none.
    static func ending(of name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        return name[name.index(after: dot)...].lowercased()
    }

    /// Returns the usual extensions of files of a media type.
    static func endings(of type: String) -> [String] { endings[type] ?? [] }
}
