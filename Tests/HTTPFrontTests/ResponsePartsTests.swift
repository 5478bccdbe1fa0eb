import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import HTTPFront

@Suite("Bodies that are sent in parts")
struct ResponsePartsTests {
    /// The lengths of the parts, and all bytes.
    private final class Collected {
        var lengths: [Int] = []
        var bytes: [UInt8] = []
        var isFinished = false
    }

    private struct Writer: ResponseBodyWriter {
        let collected: Collected

        mutating func write(_ buffer: ByteBuffer) async throws {
            collected.lengths.append(buffer.readableBytes)
            collected.bytes += Array(buffer: buffer)
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { collected.isFinished = true }
    }

    @Test(
        "A long body is delivered completely, in parts of at most 256 KiB",
        arguments: [0, 5, 262_144, 262_145, 600_000]
    )
    func parts(_ length: Int) async throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let body = ResponseBody(sharing: bytes)
        let collected = Collected()
        try await body.write(Writer(collected: collected))
        #expect(body.contentLength == length)
        #expect(collected.bytes == bytes && collected.isFinished)
        #expect(collected.lengths.allSatisfy { $0 <= 262_144 })
    }
}
