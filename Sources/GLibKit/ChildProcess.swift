internal import CGLib
internal import Glibc

/// A child process, with pipes to its standard input and from its standard output.
@LoopActor
package final class ChildProcess {
    package enum End: Hashable, Sendable {
        case exited(Int)
        case signaled(Int)
    }

    /// The number of the first file descriptor that a process inherits besides the standard ones.
    package nonisolated static let firstDescriptor: Int32 = 3
    private static let chunk = 16 << 10

    private let process: ObjectRef
    private let input: ObjectRef
    private let output: ObjectRef

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - words: The path of the program, and its arguments.
    ///   - descriptors: The file descriptors that the process inherits, numbered from `firstDescriptor`; they are
    ///     closed here, also after an error.
    ///   - hidesErrors: Whether its standard error is discarded; otherwise it is inherited from this process.
    /// - Throws: `GLibError` if the program cannot be started.
    package init(
        _ words: [String],
        taking descriptors: [Int32],
        hidesErrors: Bool = false
    ) throws(GLibError) {
        var flags = G_SUBPROCESS_FLAGS_STDIN_PIPE.rawValue | G_SUBPROCESS_FLAGS_STDOUT_PIPE.rawValue
        if hidesErrors { flags |= G_SUBPROCESS_FLAGS_STDERR_SILENCE.rawValue }
        let launcher = ObjectRef(
            taking: UnsafeMutableRawPointer(g_subprocess_launcher_new(GSubprocessFlags(flags)))
        )
        for (place, descriptor) in zip(Self.firstDescriptor..., descriptors) {
            g_subprocess_launcher_take_fd(launcher.opaque, descriptor, place)
        }
        var arguments: [UnsafePointer<CChar>?] = words.map { UnsafePointer(strdup($0)) } + [nil]
        defer { for argument in arguments { free(UnsafeMutablePointer(mutating: argument)) } }
        let started = try withGError { error in
            g_subprocess_launcher_spawnv(launcher.opaque, &arguments, error).map(UnsafeMutableRawPointer.init)
        }
        guard let started else { throw GLibError(domain: "", code: 0, message: "no process") }
        process = ObjectRef(taking: started)
        // A process with these flags has both pipes.
        input = ObjectRef(retaining: g_subprocess_get_stdin_pipe(process.opaque))
        output = ObjectRef(retaining: g_subprocess_get_stdout_pipe(process.opaque))
    }

    /// Reads the next bytes of the process's output; empty at the end.
    ///
    /// - Throws: `GLibError`, or `CancellationError`.
    package func read() async throws -> [UInt8] { try await output.read(atMost: Self.chunk) }

    /// Writes all of `bytes` to the process's input.
    ///
    /// - Throws: `GLibError`, or `CancellationError`.
    package func write(_ bytes: [UInt8]) async throws { try await input.write(bytes) }

    /// Closes the process's input.
    package func closeInput() {
        g_output_stream_close_async(input.cast(to: GOutputStream.self), G_PRIORITY_DEFAULT, nil, nil, nil)
    }

    package var isRunning: Bool { g_subprocess_get_identifier(process.opaque) != nil }

    /// Sends SIGKILL to the process.
    package func kill() { g_subprocess_force_exit(process.opaque) }

    /// Waits for the process to exit.
    ///
    /// - Throws: `CancellationError`.
    package func end() async throws -> End {
        _ = try await gio { cancellable, callback, data in
            g_subprocess_wait_async(process.opaque, cancellable, callback, data)
        } finish: { [process] result, error in
            g_subprocess_wait_finish(process.opaque, result, error)
        }
        guard g_subprocess_get_if_signaled(process.opaque) != 0 else {
            return .exited(Int(g_subprocess_get_exit_status(process.opaque)))
        }
        return .signaled(Int(g_subprocess_get_term_sig(process.opaque)))
    }
}
