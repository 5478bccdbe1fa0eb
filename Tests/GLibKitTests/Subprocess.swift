import CGLib
import GLibKit
import Testing

/// Runs a program to its end and expects it to succeed.
@LoopActor
func run(_ words: String...) async throws {
    var arguments: [UnsafePointer<CChar>?] = words.map { UnsafePointer(strdup($0)) } + [nil]
    defer { for argument in arguments { free(UnsafeMutablePointer(mutating: argument)) } }
    let made = try withGError { g_subprocess_newv(&arguments, GSubprocessFlags(0), $0) }
    let process = ObjectRef(taking: UnsafeMutableRawPointer(try #require(made)))
    let isSuccess = try await gio { cancellable, callback, data in
        g_subprocess_wait_check_async(process.opaque, cancellable, callback, data)
    } finish: { result, error in
        g_subprocess_wait_check_finish(process.opaque, result, error) != 0
    }
    #expect(isSuccess)
}
