internal import Basics

/// The lines of a playlist, without comments and empty lines.
struct PlaylistLines {
    enum Line {
        /// The name of a tag, such as `EXT-X-VERSION`, and the text after its colon.
        case tag(Substring, Substring)
        case uri(Substring)
    }

    static let maximumCount = 100_000

    let lines: [(number: Int, line: Line)]

    /// Splits a playlist into its lines.
    ///
    /// - Throws: `PlaylistError.notAPlaylist`, or `.tooLarge`.
    static func rows(of text: String) throws(PlaylistError) -> [Substring] {
        guard text.utf8.count <= MediaPlaylist.maximumLength else { throw .tooLarge }
        let rows = text.streamSafe.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard rows.count <= Self.maximumCount else { throw .tooLarge }
        let first = rows.first.map { $0.hasPrefix("\u{FEFF}") ? $0.dropFirst() : $0 } ?? ""
        guard first == "#EXTM3U" || first.hasPrefix("#EXTM3U ") else { throw .notAPlaylist }
        return rows
    }

    /// Parses the lines of a playlist.
    ///
    /// - Throws: `PlaylistError.notAPlaylist`, or `.tooLarge`.
    init(_ text: String) throws(PlaylistError) {
        let rows = try Self.rows(of: text)
        var found: [(number: Int, line: Line)] = []
        for (index, row) in rows.enumerated().dropFirst() {
            if row.hasPrefix("#EXT") {
                let name = row.dropFirst().prefix { $0 != ":" }
                found.append((index + 1, .tag(name, row[name.endIndex...].dropFirst())))
            } else if !row.hasPrefix("#"), !row.allSatisfy(\.isWhitespace) {
                found.append((index + 1, .uri(row)))
            }
        }
        lines = found
    }

    /// Parses an attribute list such as `BANDWIDTH=1280000,CODECS="avc1.64001f"`; nil if it is invalid.
    static func attributes(_ text: Substring) -> [String: String]? {
        var attributes: [String: String] = [:]
        var rest = text
        while !rest.isEmpty {
            let name = rest.prefix { $0 != "=" }
            rest = rest[name.endIndex...].dropFirst()
            var value = rest.prefix { $0 != "," }
            if rest.first == "\"" {
                value = rest.dropFirst().prefix { $0 != "\"" }
                guard value.endIndex < rest.endIndex else { return nil }
                rest = rest[value.endIndex...].dropFirst()
            } else {
                rest = rest[value.endIndex...]
            }
            guard !name.isEmpty, rest.isEmpty || rest.first == "," else { return nil }
            attributes[String(name.trimmingPrefix(" "))] = String(value)
            rest = rest.dropFirst()
        }
        return attributes
    }
}
