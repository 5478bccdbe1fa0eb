/// A reader of numbers and fields from the beginning of a byte sequence that may be truncated.
struct ByteReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isEmpty: Bool { rest.isEmpty }

    /// Reads the next `count` bytes; if fewer are left, returns nil and reads nothing.
    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Reads a big-endian number of `count` bytes, at most seven; nil if fewer are left.
    mutating func number(_ count: Int) -> Int? {
        bytes(count)?.reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads the content of a DER element with this tag (X.690 §8.1); nil for another tag or an invalid
    /// length.
    mutating func element(_ tag: UInt8) -> ArraySlice<UInt8>? {
        var ahead = self
        guard ahead.number(1) == Int(tag), let short = ahead.number(1) else { return nil }
        var length = short
        if short >= 0x80 {
            guard (0x81...0x83).contains(short), let long = ahead.number(short - 0x80) else { return nil }
            length = long
        }
        guard let content = ahead.bytes(length) else { return nil }
        self = ahead
        return content
    }
}
