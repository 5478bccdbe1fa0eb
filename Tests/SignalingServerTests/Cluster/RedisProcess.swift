import CGLib
import Foundation
import GLibKit
import GLibTesting
import RedisKit

/// A Redis server for one test, which stores nothing on disk.
final class RedisProcess: Sendable {
    static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/redis-server") }

    private let process: ObjectRef
    private let place: HeldPort
    var port: Int { place.port }

    init() throws {
        place = try HeldPort()
        let words = [
            "redis-server", "--port", "\(place.port)", "--bind", "127.0.0.1", "--save", "", "--dir", "/tmp",
        ]
        process = try startProcess(
            words,
            [G_SUBPROCESS_FLAGS_STDOUT_SILENCE, G_SUBPROCESS_FLAGS_STDERR_SILENCE]
        )
    }

    deinit { end() }

    /// Kills the process, which has no data to save.
    func end() { g_subprocess_force_exit(process.opaque) }

    func configuration() throws -> RedisConfiguration {
        var configuration = RedisConfiguration(try RedisAddress("redis://127.0.0.1:\(port)"))
        configuration.timeout = .seconds(60)  // long enough for a slow host that runs other tests too
        return configuration
    }
}
