import CGLib
import Foundation
import GLibKit
import GLibTesting
import Glibc
import Testing

/// A child process that exchanges lines of text with a test.
@LoopActor
final class Neighbour {
    private let process: ObjectRef
    private let reader: DescriptorInput
    private var rest: [UInt8] = []

    /// Starts a process; `end()` kills it.
    init(_ words: String..., environment: [String: String] = [:]) throws {
        process = try startProcess(
            words,
            [G_SUBPROCESS_FLAGS_STDIN_PIPE, G_SUBPROCESS_FLAGS_STDOUT_PIPE],
            environment: environment
        )
        let output = try #require(g_subprocess_get_stdout_pipe(process.opaque))
        reader = DescriptorInput(
            g_unix_input_stream_get_fd(
                UnsafeMutableRawPointer(output).assumingMemoryBound(to: GUnixInputStream.self)
            )
        )
    }

    deinit { g_subprocess_force_exit(process.opaque) }

    /// Reads the next line of the process's output; nil at the end.
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

    func say(_ line: String) throws {
        let bytes = Array("\(line)\n".utf8)
        try withGError {
            _ = g_output_stream_write_all(
                g_subprocess_get_stdin_pipe(process.opaque),
                bytes,
                gsize(bytes.count),
                nil,
                nil,
                $0
            )
        }
    }

    /// Closes the standard input of the process.
    func hush() throws {
        try withGError { _ = g_output_stream_close(g_subprocess_get_stdin_pipe(process.opaque), nil, $0) }
    }

    /// Kills the process and waits until it has ended.
    func end() async throws {
        g_subprocess_force_exit(process.opaque)
        _ = try await gio { cancellable, callback, data in
            g_subprocess_wait_async(process.opaque, cancellable, callback, data)
        } finish: { [process] result, error in
            g_subprocess_wait_finish(process.opaque, result, error) != 0
        }
    }

    nonisolated static func isInstalled(_ name: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    /// Whether GLib's bindings for Debian's Python (the module `gi`) are installed.
    nonisolated static let hasBindings = FileManager.default.fileExists(
        atPath: "/usr/lib/python3/dist-packages/gi"
    )
}

/// A D-Bus message bus for a single test, which never starts services.
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

    /// The environment variables for processes that use this bus.
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

/// Runs a bus and a fake portal, a script in Python whose replies `manner` selects, and calls `body` with both.
@LoopActor
func withPortal(
    _ script: String,
    _ manner: String,
    _ body: @LoopActor (PrivateBus, Neighbour) async throws -> Void
) async throws {
    let bus = try await PrivateBus()
    let portal = try Neighbour("/usr/bin/python3", "-c", script, bus.address, manner)
    #expect(try await portal.line() == "ready")
    try await body(bus, portal)
    try await portal.end()
    try await bus.end()
}
