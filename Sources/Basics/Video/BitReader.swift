/// Reads bits from a sequence of bytes, starting with the most significant bit of each byte.
package struct BitReader {
    private let bytes: [UInt8]
    private var position = 0

    package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Reads the next bit; nil at the end.
    package mutating func bit() -> Int? {
        guard position < bytes.count * 8 else { return nil }
        defer { position += 1 }
        return Int(bytes[position >> 3] >> (7 - UInt8(position & 7))) & 1
    }

    /// Reads a number of `count` bits, at most 32; nil if fewer are left.
    package mutating func bits(_ count: Int) -> Int? {
        var number = 0
        for _ in 0..<count {
            guard let bit = bit() else { return nil }
            number = number << 1 | bit
        }
        return number
    }

    /// Reads the next bit as a flag; nil at the end.
    package mutating func flag() -> Bool? { bit().map { $0 == 1 } }

    /// Skips `count` bits; nil if fewer are left.
    package mutating func skip(_ count: Int) -> Void? {
        guard count >= 0, position + count <= bytes.count * 8 else { return nil }
        position += count
        return ()
    }

    /// Reads an unsigned Exp-Golomb code (ITU-T H.264, 9.1); nil if it is invalid or outside `range`.
    package mutating func exponential(_ range: ClosedRange<Int> = 0...Int(UInt32.max)) -> Int? {
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

    /// Reads a signed Exp-Golomb code (ITU-T H.264, 9.1.1); nil if it is invalid or incomplete.
    package mutating func signedExponential() -> Int? {
        exponential().map { $0 & 1 == 1 ? ($0 + 1) / 2 : -$0 / 2 }
    }
}
