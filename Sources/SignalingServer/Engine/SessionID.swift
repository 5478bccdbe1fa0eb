/// An unguessable id in the official server's format: 20 characters of URL-safe Base64.
struct SessionID: Hashable, Sendable {
    /// The 120 bits of the id, as two integers of 60 bits each.
    private let bits: (high: UInt64, low: UInt64)
    private static let mask: UInt64 = 1 << 60 - 1

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    private init(high: UInt64, low: UInt64) { bits = (high, low) }

    static func random() -> SessionID {
        var generator = SystemRandomNumberGenerator()
        return SessionID(high: generator.next() & Self.mask, low: generator.next() & Self.mask)
    }

    /// Parses an id; nil if the text has another format.
    init?(_ text: String) {
        var halves: [UInt64] = [0, 0]
        let letters = text.utf8
        guard letters.count == 20 else { return nil }
        for (index, letter) in letters.enumerated() {
            guard let value = Self.alphabet.firstIndex(of: letter) else { return nil }
            halves[index / 10] = halves[index / 10] << 6 | UInt64(value)
        }
        bits = (halves[0], halves[1])
    }

    var text: String {
        let letters = [bits.high, bits.low].flatMap { half in
            (0..<10).reversed().map { Self.alphabet[Int(half >> UInt64($0 * 6) & 63)] }
        }
        return String(decoding: letters, as: UTF8.self)
    }

    static func == (left: SessionID, right: SessionID) -> Bool { left.bits == right.bits }

    func hash(into hasher: inout Hasher) {
        hasher.combine(bits.high)
        hasher.combine(bits.low)
    }
}
