import Glibc
import NIOCore
import Testing

@testable import HTTPFront

@Suite("Listening sockets", .timeLimit(.minutes(2)))
struct ListeningSocketTests {
    /// Listens on a port; nil if another socket does.
    private static func listen(_ port: Int) async throws -> CInt? {
        do {
            return try await ListeningSocket.listening(host: "127.0.0.1", port: port).descriptor
        } catch let error as IOError where error.errnoCode == EADDRINUSE { return nil }
    }

    @Test("Exactly one of two sockets gets a port if both begin to listen at the same moment")
    func collision() async throws {
        // The kernel gives no port below its own range to others.
        var (port, free): (Int, CInt?) = (0, nil)
        while free == nil {
            port = .random(in: 20_000..<30_000)
            free = try await Self.listen(port)
        }
        if let free { Glibc.close(free) }
        for _ in 0..<1000 {
            async let (first, second) = (Self.listen(port), Self.listen(port))
            let descriptors = try await [first, second].compactMap(\.self)
            #expect(descriptors.count == 1)
            for descriptor in descriptors { Glibc.close(descriptor) }
        }
    }
}
