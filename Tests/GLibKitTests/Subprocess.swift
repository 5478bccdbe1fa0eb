import CGLib
import GLibKit
import GLibTesting
import Testing

/// Runs a program to its end and expects it to succeed.
@LoopActor
func run(_ words: String...) async throws {
    let process = try startProcess(words)
    let isSuccess = try await gio { cancellable, callback, data in
        g_subprocess_wait_check_async(process.opaque, cancellable, callback, data)
    } finish: { result, error in
        g_subprocess_wait_check_finish(process.opaque, result, error) != 0
    }
    #expect(isSuccess)
}
