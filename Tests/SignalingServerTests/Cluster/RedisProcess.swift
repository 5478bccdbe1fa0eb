import CGLib
import Foundation
import GLibKit
import RedisKit

/// A Redis server for one test, which stores nothing on disk.
final class RedisProcess: Sendable {
    static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/redis-server") }

    // Foundation's `Process` is avoided, because it can crash when it reads past its list of descriptors.
    private let process: ObjectRef
    private let place: HeldPort
    var port: Int { place.port }

    init() throws {
        place = try HeldPort()
        let words = [
            "redis-server", "--port", "\(place.port)", "--bind", "127.0.0.1", "--save", "", "--dir", "/tmp",
        ]
        var arguments: [UnsafePointer<CChar>?] = words.map { UnsafePointer(strdup($0)) } + [nil]
        defer { for argument in arguments { free(UnsafeMutablePointer(mutating: argument)) } }
        let silence = G_SUBPROCESS_FLAGS_STDOUT_SILENCE.rawValue | G_SUBPROCESS_FLAGS_STDERR_SILENCE.rawValue
        let made = try withGError { g_subprocess_newv(&arguments, GSubprocessFlags(silence), $0) }
        guard let made else { throw TestFailure("redis-server cannot be started") }
        process = ObjectRef(taking: UnsafeMutableRawPointer(made))
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
