/// A reader of big-endian numbers and byte sequences.
struct ByteReader {
    private let bytes: [UInt8]
    private var position: Int

    init(_ bytes: [UInt8], from position: Int = 0) { (self.bytes, self.position) = (bytes, position) }

    var count: Int { bytes.count - position }

    var isAtEnd: Bool { count == 0 }

    /// Reads one byte.
    ///
    /// - Throws: `RTMPViolation.truncated` at the end, like all functions of the reader.
    mutating func byte() throws(RTMPViolation) -> UInt8 {
        guard position < bytes.count else { throw .truncated }
        defer { position += 1 }
        return bytes[position]
    }

    /// Reads an unsigned number of 1 to 8 bytes.
    mutating func integer(_ width: Int) throws(RTMPViolation) -> UInt64 {
        guard width <= count else { throw .truncated }
        var value: UInt64 = 0
        for byte in bytes[position..<position + width] { value = value << 8 | UInt64(byte) }
        position += width
        return value
    }

    mutating func uint16() throws(RTMPViolation) -> Int { Int(try integer(2)) }

    mutating func uint24() throws(RTMPViolation) -> Int { Int(try integer(3)) }

    mutating func uint32() throws(RTMPViolation) -> UInt32 { UInt32(try integer(4)) }

    mutating func slice(_ length: Int) throws(RTMPViolation) -> ArraySlice<UInt8> {
        guard length <= count else { throw .truncated }
        defer { position += length }
        return bytes[position..<position + length]
    }

    /// Reads all remaining bytes.
    mutating func rest() -> ArraySlice<UInt8> {
        defer { position = bytes.count }
        return bytes[position...]
    }
}

extension [UInt8] {
    /// Appends the low `width` bytes of a number in big-endian order.
    mutating func append(_ value: some FixedWidthInteger, width: Int) {
        let value = UInt64(truncatingIfNeeded: value)
        for index in (0..<width).reversed() {
            append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))))
        }
    }
}
