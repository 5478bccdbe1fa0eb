/// The location of a stream or file to play.
package enum LiveAddress: Codable, Hashable, Sendable {
    /// The HTTP or HTTPS URL of a playlist or a media file.
    case url(String)
    /// The path of a media file.
    case file(String)

    /// The default base URL for playback IDs: that of Mux.
    package static let standardBase = "https://stream.mux.com"
    /// The maximum length of an address in bytes.
    package static let maximumLength = 2048

    /// Parses an address that a user has entered.
    ///
    /// A text with a scheme is a URL, a text with a slash or a full stop is the path of a file, and any other text is a
    /// playback ID, which is appended to `base`.
    ///
    /// - Throws: `LiveFailure` with the reason `.invalid`.
    package init(_ text: String, base: String = standardBase) throws(LiveFailure) {
        let text = text.trimmingPrefix { $0.isWhitespace }
        let address = String(text.reversed().drop { $0.isWhitespace }.reversed())
        guard !address.isEmpty, address.utf8.count <= Self.maximumLength,
            address.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F })
                || !address.contains("://") && !address.contains("\0")
        else { throw LiveFailure(.invalid, "the address is empty, too long or has invalid characters") }
        if let end = address.firstRange(of: "://") {
            let scheme = address[..<end.lowerBound].lowercased()
            let host = address[end.upperBound...].prefix { !"/?#".contains($0) }
            guard scheme == "http" || scheme == "https" else {
                throw LiveFailure(
                    .invalid,
                    "“\(scheme)” is not supported; the address must begin with http or https"
                )
            }
            guard !host.isEmpty, !host.hasSuffix("@") else {
                throw LiveFailure(.invalid, "the address names no host")
            }
            self = .url(address)
        } else if address.contains("/") || address.contains(".") {
            self = .file(address)
        } else {
            guard address.utf8.allSatisfy(Self.isOfID) else {
                throw LiveFailure(.invalid, "a playback ID may contain only letters, digits, “-” and “_”")
            }
            self = .url("\(base.hasSuffix("/") ? String(base.dropLast()) : base)/\(address).m3u8")
        }
    }

    private static func isOfID(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
