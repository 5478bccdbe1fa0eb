internal import ChatCore

/// The kind of a file as described to the user; the raw value is the last part of its string key.
enum FileLabel: String, CaseIterable {
    case picture, audio, video, text, pdf, archive, document, table, slides, file

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
            let ending = ChatMedia.ending(of: name)
            self = ending.flatMap { end in Self.named.first { $0.value.contains(end) }?.key } ?? .file
        }
    }
}
