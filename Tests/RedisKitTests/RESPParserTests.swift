import NIOCore
import Testing

@testable import RedisKit

@Suite struct RESPParserTests {
    private static let sample =
        "+OK\r\n-ERR no\r\n:-12\r\n$5\r\nhe\r\no\r\n$-1\r\n*3\r\n$1\r\na\r\n*-1\r\n*1\r\n:7\r\n*0\r\n"
    private static let values: [RESPValue] = [
        .simple("OK"), .error("ERR no"), .integer(-12), .bulk(ByteBuffer(string: "he\r\no")), .null,
        .array([.bulk(ByteBuffer(string: "a")), .null, .array([.integer(7)])]), .array([]),
    ]

    private func parse(_ text: String, in pieces: Int, maximumBulk: Int = 100) throws -> [RESPValue] {
        var parser = RESPParser(maximumBulk: maximumBulk)
        var (buffer, values) = (ByteBuffer(), [RESPValue]())
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            buffer.writeBytes(bytes[start..<min(start + pieces, bytes.count)])
            while let value = try parser.next(from: &buffer) { values.append(value) }
        }
        #expect(buffer.readableBytes == 0)
        return values
    }

    @Test("Values are parsed regardless of how the stream is split", arguments: [1, 2, 3, 7, 1000])
    func splitStream(pieces: Int) throws {
        #expect(try parse(Self.sample, in: pieces) == Self.values)
    }

    @Test("A bulk string above the size limit is skipped, and parsing continues", arguments: [1, 5, 1000])
    func oversizedValue(pieces: Int) throws {
        let long = String(repeating: "x", count: 101)
        let values = try parse("*2\r\n$101\r\n\(long)\r\n:1\r\n+OK\r\n", in: pieces)
        #expect(values == [.array([.oversized(101), .integer(1)]), .simple("OK")])
    }

    @Test("An announced length reserves no memory before the data arrives")
    func announcedLength() throws {
        var parser = RESPParser(maximumBulk: 1 << 20)
        var buffer = ByteBuffer(string: "*1000000\r\n$9000000000000\r\nabc")
        #expect(try parser.next(from: &buffer) == nil)
        #expect(buffer.readableBytes == 0)
    }

    @Test(
        "A violation of the Redis protocol throws the matching error",
        arguments: [
            ("!x\r\n", RESPError.unknownType(UInt8(ascii: "!"))),
            (":1x\r\n", .invalidNumber),
            ("$-2\r\n", .invalidNumber),
            ("$99999999999999999999\r\n", .invalidNumber),
            ("$9223372036854775807\r\n", .invalidNumber),
            ("*-5\r\n", .invalidNumber),
            ("*99999999\r\n", .tooManyItems(99_999_999)),
            ("$1\r\nabc", .missingLineEnd),
            ("+a\rb\r\n", .missingLineEnd),
            ("\r\n", .unknownType(0)),
            (String(repeating: "*1\r\n", count: 9), .tooDeep),
            ("+" + String(repeating: "x", count: RESPParser.maximumLine + 2), .lineTooLong),
        ]
    )
    func protocolViolation(text: String, error: RESPError) {
        #expect(throws: error) { try parse(text, in: 1 << 20) }
    }
}
