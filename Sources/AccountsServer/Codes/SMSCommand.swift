internal import Basics
internal import Glibc
internal import Subprocess
internal import SystemPackage

/// A program that sends a text to a phone; the phone number is its argument, the text its standard input.
package struct SMSCommand: CodeDelivery {
    /// The default time limit for the program.
    private static let usualLimit = Duration.seconds(20)

    private let path: String
    private let limit: Duration

    /// Creates the delivery by the program at an absolute path.
    package init(_ path: String, limit: Duration? = nil) {
        (self.path, self.limit) = (path, limit ?? Self.usualLimit)
    }

    package func send(_ code: String, to phone: String) async throws(CodeDeliveryFailure) {
        let text = "\(code) is your code for callrunner. Do not share it with anybody.\n"
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

    /// Creates a pipe that contains the whole text.
    ///
    /// Subprocess 1.0 must not write the text: it would end this process if the SMS program did not read it.
    ///
    /// - Returns: The reading end.
    private static func pipe(_ text: String) throws -> FileDescriptor {
        let (reading, writing) = try FileDescriptor.pipe()
        for end in [reading, writing] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        try writing.closeAfter { _ = try writing.writeAll(text.utf8) }
        return reading
    }
}
