import Foundation
import Glibc
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTime {
    @Suite("Receive buffer of a call's sockets", .timeLimit(.minutes(4)))
    struct ReceiveBufferTests {
        /// The receive buffer size of each UDP socket of this process, in bytes as counted by the kernel.
        private static var rooms: [Int32] {
            let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            let datagrams = Int32(SOCK_DGRAM.rawValue)
            let sockets = open.compactMap(Int32.init).filter { option(SO_TYPE, of: $0) == datagrams }
            return sockets.compactMap { option(SO_RCVBUF, of: $0) }
        }

        private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
            var value: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
        }

        @Test("The receive buffer is larger than the kernel's default")
        func isWide() async throws {
            let text = try String(contentsOfFile: "/proc/sys/net/core/rmem_default", encoding: .utf8)
            let usual = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
            _ = try await Endpoint.hold(try Endpoint(), try Endpoint { $0.source = .none }, until: 1) {
                #expect(Self.rooms.filter { $0 > usual }.count >= 2)
            }
        }
    }
}
