/// Reads bits off the front of bytes that may end anywhere, the most significant first.
struct BitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// The next bit; nil at the end.
    mutating func bit() -> Int? {
        guard position < bytes.count * 8 else { return nil }
        defer { position += 1 }
        return Int(bytes[position >> 3] >> (7 - UInt8(position & 7))) & 1
    }

    /// A number of `count` bits, at most 32; nil where fewer are left.
    mutating func bits(_ count: Int) -> Int? {
        var number = 0
        for _ in 0..<count {
            guard let bit = bit() else { return nil }
            number = number << 1 | bit
        }
        return number
    }

    /// Whether the next bit is set; nil at the end.
    mutating func flag() -> Bool? { bit().map { $0 == 1 } }

    /// Passes over `count` bits; nil where fewer are left.
    mutating func skip(_ count: Int) -> Void? {
        guard count >= 0, position + count <= bytes.count * 8 else { return nil }
        position += count
        return ()
    }

    /// An unsigned Exp-Golomb code (ITU-T H.264, 9.1) within `range`; nil for anything else.
    mutating func exponential(_ range: ClosedRange<Int> = 0...Int(UInt32.max)) -> Int? {
        var zeros = 0
        while true {
            guard let next = bit(), zeros <= 31 else { return nil }
            if next == 1 { break }
            zeros += 1
        }
        guard let rest = bits(zeros) else { return nil }
        let number = 1 << zeros - 1 + rest
        return range.contains(number) ? number : nil
    }

    /// A signed Exp-Golomb code (ITU-T H.264, 9.1.1); nil at the end.
    mutating func signedExponential() -> Int? {
        exponential().map { $0 & 1 == 1 ? ($0 + 1) / 2 : -$0 / 2 }
    }
}
