import Foundation
import Testing

@testable import AccountsServer

@Suite("The command that sends sign-in codes", .timeLimit(.minutes(4)))
struct SMSCommandTests {
    /// Runs a script as the program, and returns its failure.
    private func failure(of script: String, limit: Duration = .seconds(10), times: Int = 1) async throws
        -> String?
    {
        let path = FileManager.default.temporaryDirectory.path + "/send-\(UInt64.random(in: 0 ... .max))"
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        var last: String?
        for _ in 0..<times {
            do throws(CodeDeliveryFailure) {
                try await SMSCommand(path, limit: limit).send("123456", to: "+79219999999")
                last = nil
            } catch { last = error.message }
        }
        return last
    }

    @Test("The command gets the phone number as its argument and the text on standard input")
    func arguments() async throws {
        let script = #"[ "$1" = +79219999999 ] && [ "$(cat | cut -c1-6)" = 123456 ]"#
        #expect(try await failure(of: script) == nil)
    }

    @Test(
        "A failure of the command is reported without the sign-in code, whether or not it has read the text",
        arguments: ["", "cat; "]
    )
    func failing(reading: String) async throws {
        let message = try await failure(of: "\(reading)echo 123456 >&2; exit 3", times: 20)
        #expect(message?.contains("has failed") == true && message?.contains("123456") == false)
    }

    @Test("A command that exits with 0 without reading its input counts as successful")
    func unread() async throws { #expect(try await failure(of: "exit 0", times: 20) == nil) }

    @Test("A command that hangs is ended after the time limit")
    func hanging() async throws {
        let message = try await failure(of: "exec sleep 60", limit: .milliseconds(300))
        #expect(message?.contains("did not end") == true)
    }

    @Test("A missing command throws a CodeDeliveryFailure")
    func missing() async {
        await #expect(throws: CodeDeliveryFailure.self) {
            try await SMSCommand("/none/such").send("123456", to: "+79219999999")
        }
    }
}
