import Foundation
import GLibKit
import Glibc
import Testing

/// Another process, which is told lines and tells some.
@LoopActor
final class Neighbour {
    private nonisolated let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let reader: DescriptorInput
    private var rest: [UInt8] = []
    private let endings: AsyncStream<Never>

    /// Starts it; it ends with `end()`.
    init(_ words: String..., environment: [String: String] = [:]) throws {
        reader = DescriptorInput(output.fileHandleForReading.fileDescriptor)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        let (endings, ending) = AsyncStream.makeStream(of: Never.self)
        self.endings = endings
        process.terminationHandler = { _ in ending.finish() }
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The next line that it tells; nil at its end.
    func line() async throws -> String? {
        while true {
            if let end = rest.firstIndex(of: 10) {
                defer { rest = Array(rest[(end + 1)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let bytes = try await reader.read()
            guard !bytes.isEmpty else { return nil }
            rest += bytes
        }
    }

    func say(_ line: String) { input.fileHandleForWriting.write(Data("\(line)\n".utf8)) }

    /// Says that nothing more follows.
    func hush() throws { try input.fileHandleForWriting.close() }

    /// Kills it, and waits until it is gone.
    func end() async throws {
        kill(process.processIdentifier, SIGKILL)
        for await _ in endings {}
    }

    nonisolated static func isInstalled(_ name: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    /// Whether Debian's Python has GLib's bindings.
    nonisolated static let hasBindings = FileManager.default.fileExists(
        atPath: "/usr/lib/python3/dist-packages/gi"
    )
}

/// A message bus of a test's own, on which nobody is started by being called.
@LoopActor
final class PrivateBus {
    let address: String
    let folder: String
    private let daemon: Neighbour

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "bus-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let configuration = """
            <busconfig><type>session</type><listen>unix:path=\(folder)/bus</listen><policy context="default">
            <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
            """
        try configuration.write(toFile: "\(folder)/bus.conf", atomically: true, encoding: .utf8)
        daemon = try Neighbour(
            "dbus-daemon",
            "--nofork",
            "--print-address",
            "--config-file=\(folder)/bus.conf"
        )
        address = try #require(try await daemon.line())
    }

    /// What processes need to be told of it.
    var environment: [String: String] {
        [
            "DBUS_SESSION_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": folder, "HOME": folder,
            "XDG_DATA_HOME": "\(folder)/data",
        ]
    }

    func end() async throws {
        try await daemon.end()
        try FileManager.default.removeItem(atPath: folder)
    }
}
