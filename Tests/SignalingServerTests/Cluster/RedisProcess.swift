import Foundation
import Glibc
import RedisKit

/// A Redis of the test's own, which keeps nothing.
final class RedisProcess: Sendable {
    static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/redis-server") }

    private let process = Process()
    private let place: HeldPort
    var port: Int { place.port }

    init() throws {
        place = try HeldPort()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "redis-server", "--port", "\(place.port)", "--bind", "127.0.0.1", "--save", "", "--dir", "/tmp",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { end() }

    /// It keeps nothing, and need not be asked.
    func end() { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    func configuration() throws -> RedisConfiguration {
        var configuration = RedisConfiguration(try RedisAddress("redis://127.0.0.1:\(port)"))
        configuration.timeout = .seconds(60)  // of whatever is asked beside other tests on a slow machine
        return configuration
    }
}
