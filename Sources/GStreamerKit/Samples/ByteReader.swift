/// Reads numbers and fields off the front of bytes that may end anywhere.
struct ByteReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isEmpty: Bool { rest.isEmpty }

    /// The next `count` bytes; nil where fewer are left, and then none is taken.
    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A number of `count` bytes, at most seven, the most significant first.
    mutating func number(_ count: Int) -> Int? {
        bytes(count)?.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The content of a DER element of this tag (X.690 §8.1); nil for another tag or a length that is none.
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
