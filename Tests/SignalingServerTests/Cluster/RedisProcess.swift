import Foundation
import Glibc
import NIOCore
import NIOPosix
import RedisKit

/// A Redis of the test's own, which keeps nothing.
final class RedisProcess: Sendable {
    static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/redis-server") }

    private let process = Process()
    let port: Int

    init() async throws {
        // Free now, and for long enough.
        let probe = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        port = probe.localAddress?.port ?? 0
        try await probe.close()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--dir", "/tmp",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { end() }

    /// It keeps nothing, and need not be asked.
    func end() { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    func configuration() throws -> RedisConfiguration {
        RedisConfiguration(try RedisAddress("redis://127.0.0.1:\(port)"))
    }
}
