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
                result += replace(inTag: line) { address($0, true) }
            } else if let uri = trimmed(line) {
                result += Array(address(String(decoding: uri, as: UTF8.self), false).utf8)
            }
            result.append(UInt8(ascii: "\n"))
            guard result.count <= maximumLength else { throw .tooLarge }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Replaces the values of the attributes `URI`; empty if the quotes of one do not end.
    private static func replace(inTag line: [UInt8], _ address: (String) -> String) -> [UInt8] {
        let (name, quote, comma) = (Array("URI=".utf8), UInt8(ascii: "\""), UInt8(ascii: ","))
        var (result, rest) = ([UInt8](), line[...])
        while let place = rest.firstRange(of: name) {
            let value = rest[place.upperBound...]
            let isQuoted = value.first == quote
            let inner = (isQuoted ? value.dropFirst() : value).prefix { $0 != (isQuoted ? quote : comma) }
            guard !isQuoted || inner.endIndex < rest.endIndex else { return [] }
            result += rest[..<place.upperBound] + [quote]
            result += Array(address(String(decoding: inner, as: UTF8.self)).utf8) + [quote]
            rest = rest[inner.endIndex...].dropFirst(isQuoted ? 1 : 0)
        }
        return result + rest
    }

    private static func trimmed(_ line: [UInt8]) -> ArraySlice<UInt8>? {
        let isVisible = { (byte: UInt8) in byte > 0x20 && byte != 0x7F }
        guard let first = line.firstIndex(where: isVisible), let last = line.lastIndex(where: isVisible)
        else { return nil }
        return line[first...last]
    }
}
