package import NIOCore

/// A parser for RESP2 values in a byte stream whose chunks may split a value at any byte.
///
/// The parser stores only bytes that it has received. It discards a bulk string longer than `maximumBulk`
/// while receiving it.
package struct RESPParser: Sendable {
    /// The maximum length of a line in bytes; the limit of bulk strings is `maximumBulk`.
    static let maximumLine = 64 << 10
    package static let maximumDepth = 8
    private static let maximumItems = 1 << 20

    private struct OpenArray {
        var missing: Int
        var items: [RESPValue] = []
    }

    private enum Bulk {
        case kept(length: Int)
        case dropped(length: Int, missing: Int)
    }

    private let maximumBulk: Int
    private var arrays: [OpenArray] = []
    private var bulk: Bulk?

    /// Creates a parser; `maximumBulk` is in bytes.
    package init(maximumBulk: Int) { self.maximumBulk = maximumBulk }

    /// Reads the next value from the buffer; nil if the value is incomplete.
    ///
    /// - Throws: `RESPError`; the parser must not be used after that.
    package mutating func next(from buffer: inout ByteBuffer) throws(RESPError) -> RESPValue? {
        while true {
            let part: RESPValue?
            if let bulk {
                part = try finish(bulk, from: &buffer)
                guard part != nil else { return nil }
            } else {
                guard let line = try Self.line(from: &buffer) else { return nil }
                part = try begin(line)
            }
            if let part, let whole = fold(part) { return whole }
        }
    }

    /// Adds a value to the innermost open array, and returns the outermost value if it is complete, else nil.
    private mutating func fold(_ part: RESPValue) -> RESPValue? {
        var value = part
        while var array = arrays.popLast() {
            array.items.append(value)
            array.missing -= 1
            guard array.missing == 0 else {
                arrays.append(array)
                return nil
            }
            value = .array(array.items)
        }
        return value
    }

    /// Parses a line; nil if the value continues after the line.
    private mutating func begin(_ line: ByteBuffer) throws(RESPError) -> RESPValue? {
        var line = line
        guard let type = line.readInteger(as: UInt8.self) else { throw .unknownType(0) }
        switch type {
        case UInt8(ascii: "+"): return .simple(String(buffer: line))
        case UInt8(ascii: "-"): return .error(String(buffer: line))
        case UInt8(ascii: ":"): return .integer(try Self.number(line))
        case UInt8(ascii: "$"):
            let length = try Self.number(line)
            guard length != -1 else { return .null }
            guard length >= 0, length <= Int.max - 2 else { throw .invalidNumber }
            bulk =
                length <= maximumBulk ? .kept(length: length) : .dropped(length: length, missing: length + 2)
            return nil
        case UInt8(ascii: "*"):
            let count = try Self.number(line)
            guard count != -1 else { return .null }
            guard count >= 0 else { throw .invalidNumber }
            guard count <= Self.maximumItems else { throw .tooManyItems(count) }
            guard count > 0 else { return .array([]) }
            guard arrays.count < Self.maximumDepth else { throw .tooDeep }
            arrays.append(OpenArray(missing: count))
            return nil
        default: throw .unknownType(type)
        }
    }

    private mutating func finish(
        _ bulk: Bulk,
        from buffer: inout ByteBuffer
    ) throws(RESPError) -> RESPValue? {
        switch bulk {
        case .kept(let length):
            guard buffer.readableBytes >= length + 2, let bytes = buffer.readSlice(length: length) else {
                return nil
            }
            let end = buffer.readMultipleIntegers(as: (UInt8, UInt8).self)
            guard let end, end == (13, 10) else { throw .missingLineEnd }
            self.bulk = nil
            return .bulk(bytes)
        case .dropped(let length, let missing):
            let here = min(missing, buffer.readableBytes)
            buffer.moveReaderIndex(forwardBy: here)
            guard here == missing else {
                self.bulk = .dropped(length: length, missing: missing - here)
                return nil
            }
            self.bulk = nil
            return .oversized(length)
        }
    }

    private static func line(from buffer: inout ByteBuffer) throws(RESPError) -> ByteBuffer? {
        let view = buffer.readableBytesView.prefix(maximumLine + 2)
        guard let end = view.firstIndex(of: 13), end + 1 < view.endIndex else {
            guard view.count <= maximumLine else { throw .lineTooLong }
            return nil
        }
        guard view[end + 1] == 10 else { throw .missingLineEnd }
        let line = buffer.readSlice(length: end - view.startIndex)
        buffer.moveReaderIndex(forwardBy: 2)
        return line
    }

    private static func number(_ digits: ByteBuffer) throws(RESPError) -> Int {
        guard digits.readableBytes <= 20, let number = Int(String(buffer: digits)) else {
            throw .invalidNumber
        }
        return number
    }
}
