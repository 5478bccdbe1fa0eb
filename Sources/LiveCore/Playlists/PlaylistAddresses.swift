/// The addresses in a playlist: of segments, variants, keys and the like (RFC 8216).
package enum PlaylistAddresses {
    /// The longest playlist with replaced addresses in bytes.
    private static let maximumLength = 16 << 20

    /// Replaces each address, so that none of the original ones is left.
    ///
    /// It is less strict than the specification, because readers of playlists are, too: an address without quotes is
    /// replaced as well, and a tag whose quotes do not end is left out.
    ///
    /// - Parameters:
    ///   - text: The playlist.
    ///   - address: Returns the address that takes the place of one in a tag, or of one in a line of its own.
    /// - Returns: The changed playlist.
    /// - Throws: `PlaylistError.notAPlaylist`, or `.tooLarge`.
    package static func replace(
        in text: String,
        _ address: (_ original: String, _ isInTag: Bool) -> String
    ) throws(PlaylistError) -> String {
        var result: [UInt8] = []
        for (index, row) in try PlaylistLines.rows(of: text).enumerated() {
            // Bytes, because a combining character would hide the quote before it.
            let line = Array(row.utf8)
            if index == 0 {
                result += Array("#EXTM3U".utf8)
            } else if line.first == UInt8(ascii: "#") {
                result += try replace(inTag: line) { address($0, true) }
            } else if let uri = trimmed(line) {
                result += Array(address(String(decoding: uri, as: UTF8.self), false).utf8)
            }
            result.append(UInt8(ascii: "\n"))
            guard result.count <= maximumLength else { throw .tooLarge }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Replaces the values of the attributes `URI`; empty if quotes do not end.
    private static func replace(
        inTag line: [UInt8],
        _ address: (String) -> String
    ) throws(PlaylistError) -> [UInt8] {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return line }
        var (result, rest) = (Array(line[...colon]), line[(colon + 1)...])
        while !rest.isEmpty {
            guard let end = endOfAttribute(rest) else { return [] }
            let attribute = rest[..<end]
            let word = attribute.drop { $0 == UInt8(ascii: " ") }
            if word.starts(with: name) {
                let isQuoted = word.dropFirst(name.count).first == quote
                let value = word.dropFirst(name.count + (isQuoted ? 1 : 0)).prefix {
                    !isQuoted || $0 != quote
                }
                let new = address(String(decoding: value, as: UTF8.self))
                result += name + [quote] + Array(new.utf8) + [quote]
            } else {
                result += harmless(attribute)
            }
            result += rest[end...].prefix(1)
            rest = rest[end...].dropFirst()
            guard result.count <= maximumLength else { throw .tooLarge }
        }
        return result
    }

    private static let name = Array("URI=".utf8)
    private static let quote = UInt8(ascii: "\"")

    /// Finds the comma after an attribute, or the end of the line; nil if quotes do not end.
    private static func endOfAttribute(_ text: ArraySlice<UInt8>) -> Int? {
        var isQuoted = false
        for index in text.indices {
            if text[index] == quote { isQuoted.toggle() }
            if text[index] == UInt8(ascii: ","), !isQuoted { return index }
        }
        return isQuoted ? nil : text.endIndex
    }

    /// Returns an attribute in which no reader finds an address, wherever it thinks that quotes end.
    private static func harmless(_ attribute: ArraySlice<UInt8>) -> [UInt8] {
        var result = Array(attribute)
        for end in result.indices.dropFirst(name.count - 1)
        where result[end] == name.last && result[...end].suffix(name.count).elementsEqual(name) {
            result[end] = UInt8(ascii: "-")
        }
        return result
    }

    private static func trimmed(_ line: [UInt8]) -> ArraySlice<UInt8>? {
        let isVisible = { (byte: UInt8) in byte > 0x20 && byte != 0x7F }
        guard let first = line.firstIndex(where: isVisible), let last = line.lastIndex(where: isVisible)
        else { return nil }
        return line[first...last]
    }
}
