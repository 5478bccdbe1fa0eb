/// The Base64 encoding with padding (RFC 4648 §4), in which Engine.IO sends binary data over text transports.
package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )
    private static let padding = UInt8(ascii: "=")

    /// The value of each Base64 character; 255 for any other byte.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// Encodes bytes as padded Base64.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for letter in 0..<4 {
                text.append(
                    letter <= group.count ? alphabet[Int(bits >> UInt32(18 - 6 * letter) & 63)] : padding
                )
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Encodes bytes as URL-safe Base64 without padding (RFC 4648 §5).
    package static func encodeURL(_ bytes: [UInt8]) -> String {
        let letters = encode(bytes).utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case padding: nil
            default: byte
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// Decodes URL-safe Base64 without padding (RFC 4648 §5); nil if the text is malformed.
    package static func decodeURL(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.allSatisfy({ ![UInt8(ascii: "+"), UInt8(ascii: "/"), padding].contains($0) }) else {
            return nil
        }
        let letters = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        let missing = (4 - letters.count % 4) % 4
        guard missing < 3 else { return nil }
        let padded = letters + [UInt8](repeating: padding, count: missing)
        return decode(String(decoding: padded, as: UTF8.self))
    }

    /// Decodes padded Base64; nil if the text is malformed.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let letters = Array(text.utf8)
        guard letters.count.isMultiple(of: 4) else { return nil }
        let paddingCount = letters.suffix(2).count { $0 == padding }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count / 4 * 3)
        var bits: UInt32 = 0
        for (index, letter) in letters.dropLast(paddingCount).enumerated() {
            let value = values[Int(letter)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            if index % 4 == 3 {
                bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
                bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
                bytes.append(UInt8(truncatingIfNeeded: bits))
                bits = 0
            }
        }
        switch paddingCount {
        case 1:
            bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
        case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
        default: break
        }
        return bytes
    }
}
