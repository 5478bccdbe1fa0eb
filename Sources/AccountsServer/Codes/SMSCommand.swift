internal import Basics
internal import Glibc
internal import Subprocess
internal import SystemPackage

/// A program that sends a text to a phone: the phone is its argument, the text its standard input.
package struct SMSCommand: CodeDelivery {
    /// The time within which the program must end.
    private static let usualLimit = Duration.seconds(20)

    private let path: String
    private let limit: Duration

    /// Creates the way to send codes by a program at an absolute path.
    package init(_ path: String, limit: Duration? = nil) {
        (self.path, self.limit) = (path, limit ?? Self.usualLimit)
    }

    package func send(_ code: String, to phone: String) async throws(CodeDeliveryFailure) {
        let text = "\(code) is your code for callrunner. Tell it to nobody.\n"
        let status: TerminationStatus?
        do {
            status = try await withDeadline(limit) { [path] in
                // Its output may repeat the code, which must not reach a log.
                try await Subprocess.run(
                    .path(FilePath(path)),
                    arguments: [phone],
                    input: .fileDescriptor(try Self.pipe(text), closeAfterSpawningProcess: true),
                    output: .discarded,
                    error: .discarded
                ).terminationStatus
            }
        } catch {
            throw CodeDeliveryFailure("\(path) cannot be run: \(error)")
        }
        guard let status else {
            throw CodeDeliveryFailure("\(path) did not end within \(DurationText(limit))")
        }
        guard status.isSuccess else { throw CodeDeliveryFailure("\(path) has failed: \(status)") }
    }

    /// Creates a pipe that holds the whole text.
    ///
    /// Subprocess 1.0 would write the text itself, and ends this process if the program exits without reading it.
    ///
    /// - Returns: The end for reading.
    private static func pipe(_ text: String) throws -> FileDescriptor {
        let (reading, writing) = try FileDescriptor.pipe()
        for end in [reading, writing] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        try writing.closeAfter { _ = try writing.writeAll(text.utf8) }
        return reading
    }
}
