/// The replacement of all addresses in a playlist, such as those of segments, variants and keys (RFC 8216).
package enum PlaylistAddresses {
    /// The maximum length in bytes of a playlist with replaced addresses.
    private static let maximumLength = 16 << 20

    /// Replaces each address, so that no original address remains.
    ///
    /// Parsing is more lenient than the specification, like that of playlist readers: an address without quotes is
    /// replaced as well, and a tag with an unclosed quote is omitted.
    ///
    /// - Parameters:
    ///   - text: The playlist.
    ///   - address: Returns the replacement of an address, which is either in a tag or on its own line.
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

    /// Replaces the values of the `URI` attributes; returns an empty array if a quote is not closed.
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

    /// Returns the position of the comma after an attribute, or the end of the line; nil if a quote is not closed.
    private static func endOfAttribute(_ text: ArraySlice<UInt8>) -> Int? {
        var isQuoted = false
        for index in text.indices {
            if text[index] == quote { isQuoted.toggle() }
            if text[index] == UInt8(ascii: ","), !isQuoted { return index }
        }
        return isQuoted ? nil : text.endIndex
    }

    /// Returns an attribute without the text `URI=`, so that no reader finds an address, even if it parses quotes
    /// differently.
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
