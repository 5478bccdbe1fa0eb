internal import Basics
internal import Subprocess
internal import SystemPackage

/// A program that sends a text to a phone: the phone is its argument, the text its standard input.
package struct SMSCommand: CodeDelivery {
    /// The time within which the program must end.
    private static let limit = Duration.seconds(20)

    private let path: String

    /// Creates the way to send codes by a program at an absolute path.
    package init(_ path: String) { self.path = path }

    package func send(_ code: String, to phone: String) async throws(CodeDeliveryFailure) {
        let status: TerminationStatus?
        do {
            status = try await withDeadline(Self.limit) { [path] in
                // Its output may repeat the code, which must not reach a log.
                try await Subprocess.run(
                    .path(FilePath(path)),
                    arguments: [phone],
                    input: .string("\(code) is your code for callrunner. Tell it to nobody.\n"),
                    output: .discarded,
                    error: .discarded
                ).terminationStatus
            }
        } catch {
            throw CodeDeliveryFailure("\(path) cannot be run: \(error)")
        }
        guard let status else {
            throw CodeDeliveryFailure("\(path) did not end within \(DurationText(Self.limit))")
        }
        guard status.isSuccess else { throw CodeDeliveryFailure("\(path) has failed: \(status)") }
    }
}
