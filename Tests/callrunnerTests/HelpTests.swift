import ArgumentParser
import Basics
import LiveCore
import MediaKit
import Testing

@testable import callrunner

@Suite("Texts for people on the command line")
struct HelpTests {
    private func discussions(
        _ command: any ParsableCommand.Type
    ) -> [(name: String, text: String)] {
        let configuration = command.configuration
        let own = (configuration.commandName ?? "\(command)", configuration.discussion)
        return [own] + configuration.subcommands.flatMap { discussions($0) }
    }

    @Test("No line of a help text wraps on a terminal of 80 columns")
    func lines() {
        let all = discussions(CallRunner.self)
        #expect(all.count > 10)
        for (name, text) in all {
            for line in text.split(separator: "\n") { #expect(line.count < 80, "\(name): \(line)") }
        }
    }

    @Test("The message about a refused stream names host and port, and the hint says how to serve one")
    func refusedStream() {
        let refused = LiveFailure(.unreachable, "Connection refused", cause: .connectionRefused)
        let failure = Failure(refused, of: .url("http://127.0.0.1:3000/demo.m3u8?token=secret"))
        #expect(failure.message == "nothing listens at 127.0.0.1:3000")
        #expect(failure.hint?.contains("serve --live-file") == true)
        #expect(Failure(refused, of: .file("a.mp4")).message == refused.message)
    }

    @Test("A missing source file is reported before a room is joined")
    func noFile() {
        #expect(throws: MediaFailure.self) { try SourceChoice("/missing.mp4").expectFile() }
        #expect(throws: Never.self) { try SourceChoice("test").expectFile() }
    }
}
