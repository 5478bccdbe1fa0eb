import NIOCore
import Testing

@testable import struct FrontParsers.WebSocketMask

@Suite("WebSocket mask")
struct WebSocketMaskTests {
    private let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    private func mask() throws -> WebSocketMask {
        var buffer = ByteBuffer(bytes: key)
        let number: UInt32? = buffer.readInteger(endianness: .host)
        return WebSocketMask(try #require(number))
    }

    private func unmasked(_ bytes: ArraySlice<UInt8>, _ mask: WebSocketMask) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes.count) { target, count in
            bytes.withUnsafeBytes { mask.apply(to: $0, writing: UnsafeMutableRawBufferPointer(target)) }
            count = bytes.count
        }
    }

    @Test("The example of RFC 6455 §5.7 is unmasked")
    func example() throws {
        #expect(unmasked([0x7F, 0x9F, 0x4D, 0x51, 0x58], try mask()) == Array("Hello".utf8))
    }

    @Test("Payloads of every length are unmasked correctly, starting at every offset of the mask")
    func lengths() throws {
        let mask = try mask()
        let bytes = (0..<70).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let expected = bytes.enumerated().map { $1 ^ key[$0 % 4] }
        for start in 0..<12 {
            for end in start...bytes.count {
                #expect(unmasked(bytes[start..<end], mask.rotated(by: start)) == Array(expected[start..<end]))
            }
        }
    }
}
