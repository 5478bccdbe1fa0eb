package import CGLib
package import GLibKit
internal import Glibc

/// Starts a child process.
///
/// Foundation's `Process` is avoided: it lists the open files of this program, sometimes reads beyond the list,
/// and crashes if the memory ends there (`findMaximumOpenFromProcSelfFD` of Swift 6.3).
///
/// - Parameters:
///   - words: The program, by its path or its name in PATH, and its arguments.
///   - flags: The handling of the standard streams, which are inherited from this program by default.
///   - environment: Variables in addition to this program's.
/// - Returns: The process, a `GSubprocess`.
/// - Throws: `GLibError` if the program cannot be started.
package func startProcess(
    _ words: [String],
    _ flags: [GSubprocessFlags] = [],
    environment: [String: String] = [:]
) throws -> ObjectRef {
    let flags = GSubprocessFlags(flags.reduce(0) { $0 | $1.rawValue })
    let launcher = ObjectRef(taking: UnsafeMutableRawPointer(g_subprocess_launcher_new(flags)))
    for (name, value) in environment { g_subprocess_launcher_setenv(launcher.opaque, name, value, 1) }
    var arguments: [UnsafePointer<CChar>?] = words.map { UnsafePointer(strdup($0)) } + [nil]
    defer { for argument in arguments { free(UnsafeMutablePointer(mutating: argument)) } }
    let process = try withGError { g_subprocess_launcher_spawnv(launcher.opaque, &arguments, $0) }
    guard let process else { throw GLibError(domain: "", code: 0, message: "\(words[0]) cannot be started") }
    return ObjectRef(taking: UnsafeMutableRawPointer(process))
}
