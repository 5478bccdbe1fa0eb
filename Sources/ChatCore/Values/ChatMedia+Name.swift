internal import Basics

// The name under which a file is saved, which is the text of its message or follows from its type.

extension ChatMedia {
    /// The maximum length of a file name on Linux, in bytes.
    private static let longestName = 255

    /// The file name extensions by media type; the first one is used for files without a name.
    private static let endings = [
        "image/jpeg": ["jpg", "jpeg"], "image/png": ["png"], "image/gif": ["gif"], "image/webp": ["webp"],
        "audio/ogg": ["ogg", "oga", "opus"], "audio/flac": ["flac"], "audio/mpeg": ["mp3"],
        "audio/wav": ["wav"], "audio/mp4": ["m4a", "mp4"], "video/quicktime": ["mov"],
        "audio/webm": ["weba", "webm", "mka"], "video/mp4": ["mp4", "m4v"], "video/webm": ["webm", "mkv"],
        "application/pdf": ["pdf"],
        "text/plain": ["txt"],
    ]

    /// Returns the extension of a name in lower case, without the dot; nil if there is none.
    package static func ending(of name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        return name[name.index(after: dot)...].lowercased()
    }

    /// Whether the text of the message is the name of the file.
    ///
    /// For pictures, audio and video, this requires a file name extension of their type.
    package func isName(_ text: String) -> Bool {
        if kind == .file { return true }
        guard text.utf8.count <= Self.longestName, !text.contains("\n") else { return false }
        return Self.ending(of: text).map { (Self.endings[type] ?? []).contains($0) } ?? false
    }

    /// Returns the name under which the file of a message with a text is saved.
    package func fileName(_ text: String) -> String {
        guard !isName(text) || text.isBlank else { return text }
        return "\(id.prefix(12)).\(Self.endings[type]?.first ?? "bin")"
    }
}
