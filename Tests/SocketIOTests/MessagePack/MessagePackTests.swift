import Basics
import Testing

@testable import SocketIO

@Suite("MessagePack") struct MessagePackTests {
    /// Values and their bytes, as notepack.io 3 encodes them.
    private static let forms: [(JSON, [UInt8])] = [
        (.null, [0xC0]), (true, [0xC3]), (false, [0xC2]),
        (.int(0), [0x00]), (.int(127), [0x7F]), (.int(128), [0xCC, 0x80]), (.int(255), [0xCC, 0xFF]),
        (.int(256), [0xCD, 0x01, 0x00]), (.int(65_535), [0xCD, 0xFF, 0xFF]),
        (.int(65_536), [0xCE, 0, 1, 0, 0]), (.int(4_294_967_295), [0xCE, 0xFF, 0xFF, 0xFF, 0xFF]),
        (.int(4_294_967_296), [0xCF, 0, 0, 0, 1, 0, 0, 0, 0]),
        (.int(-1), [0xFF]), (.int(-32), [0xE0]), (.int(-33), [0xD0, 0xDF]), (.int(-128), [0xD0, 0x80]),
        (.int(-129), [0xD1, 0xFF, 0x7F]), (.int(-32_768), [0xD1, 0x80, 0x00]),
        (.int(-32_769), [0xD2, 0xFF, 0xFF, 0x7F, 0xFF]),
        (.int(-2_147_483_649), [0xD3, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF]),
        (.number(0.5), [0xCB, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0]),
        (.string(""), [0xA0]), (.string("né"), [0xA3, 0x6E, 0xC3, 0xA9]),
        (.binary([1, 2]), [0xC4, 2, 1, 2]),
        ([1, "a"], [0x92, 0x01, 0xA1, 0x61]),
        (["a": [:], "b": []], [0x82, 0xA1, 0x61, 0x80, 0xA1, 0x62, 0x90]),
    ]

    @Test("Each value is encoded in its shortest format and decoded from it", arguments: forms.indices)
    func smallestForm(index: Int) throws {
        let (value, bytes) = Self.forms[index]
        #expect(MessagePackEncoder.encode(value) == bytes)
        #expect(try MessagePackDecoder.decode(bytes) == value)
    }

    @Test("A whole floating-point number is encoded as an integer, as in JavaScript")
    func wholeNumberAsInteger() {
        #expect(MessagePackEncoder.encode(.number(3)) == [0x03])
        #expect(MessagePackEncoder.encode(.number(-0.0)) == [0x00])
    }

    @Test("Values of every length survive a round trip", arguments: [31, 32, 255, 256, 65_535, 65_536])
    func lengthRoundTrip(count: Int) throws {
        let values: [JSON] = [
            .string(String(repeating: "x", count: count)), .binary([UInt8](repeating: 7, count: count)),
            .array([JSON](repeating: .null, count: count)),
            .object(JSONObject((0..<count).map { ("\($0)", JSON.int(0)) })),
        ]
        for value in values.prefix(count < 65_536 ? 4 : 3) {
            #expect(try MessagePackDecoder.decode(MessagePackEncoder.encode(value)) == value)
        }
    }

    @Test(
        "Formats of older encoders and other libraries are decoded",
        arguments: [
            ([0xD4, 0x00, 0x00], JSON.null),
            ([0xCA, 0x3F, 0x00, 0x00, 0x00], .number(0.5)),
            ([0xCF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .number(18_446_744_073_709_551_616)),
            ([0xC7, 0x02, 0x00, 0x01, 0x02], .binary([1, 2])),
            ([0xD6, 0xFF, 0x00, 0x00, 0x00, 0x00], .string("1970-01-01T00:00:00.000Z")),
            (
                [0xD7, 0xFF, 0x77, 0x35, 0x94, 0x00, 0x65, 0x92, 0x00, 0x80],
                .string("2024-01-01T00:00:00.500Z")
            ),
            (
                [0xD7, 0x00, 0x00, 0x00, 0x01, 0x8C, 0xC2, 0x51, 0xF5, 0xF4],
                .string("2024-01-01T00:00:00.500Z")
            ),
            (
                [0xC7, 0x0C, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
                .string("1969-12-31T23:59:59.000Z")
            ),
        ] as [([UInt8], JSON)]
    )
    func foreignEncodings(bytes: [UInt8], value: JSON) throws {
        #expect(try MessagePackDecoder.decode(bytes) == value)
    }

    @Test(
        "Invalid bytes are rejected",
        arguments: [
            ([], MessagePackError.unexpectedEnd), ([0xA5, 0x61], .unexpectedEnd),
            ([0x93, 0x01], .unexpectedEnd),
            ([0xDD, 0xFF, 0xFF, 0xFF, 0xFF], .unexpectedEnd),
            ([0xC6, 0xFF, 0xFF, 0xFF, 0xFF, 1], .unexpectedEnd),
            ([0x01, 0x02], .trailingBytes), ([0xC1], .invalidType), ([0xA1, 0xFF], .invalidUTF8),
            ([0x81, 0x01, 0x01], .invalidKey), ([0xD4, 0x05, 0x00], .unknownExtension(5)),
            ([UInt8](repeating: 0x91, count: 100), .tooDeep),
            ([0xDD, 0x00, 0x08, 0x00, 0x01] + [UInt8](repeating: 0xC0, count: 0x80001), .tooMany),
        ] as [([UInt8], MessagePackError)]
    )
    func refuses(bytes: [UInt8], error: MessagePackError) {
        #expect(throws: error) { try MessagePackDecoder.decode(bytes) }
    }

    @Test("Random bytes are rejected, or decoded to a value that survives a round trip")
    func arbitraryBytes() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            guard let value = try? MessagePackDecoder.decode(bytes) else { continue }
            let again = MessagePackEncoder.encode(value)
            #expect((try? MessagePackDecoder.decode(again)).map(MessagePackEncoder.encode) == again)
        }
    }
}
