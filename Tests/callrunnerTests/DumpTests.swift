import AppFlow
import CallCore
import Foundation
import Testing

@testable import callrunner

@Suite("Dump for a bug report")
struct DumpTests {
    private func folder() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "dump-\(UUID().uuidString)")
    }

    @Test("Session descriptions are stored numbered, without secrets, and readable only by the owner")
    func descriptions() async throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let dump = try DumpFolder(folder.path)
        let sdp = "v=0\r\na=ice-ufrag:abc\r\na=ice-pwd:hush\r\na=crypto:1 AES hush\r\na=mid:0\r\n"
        await dump.keep(.offer(.init(sdp)), .sent)
        await dump.keep(.answer(.init(sdp.replacing("\r", with: "")), offerID: "abc"), .received)
        let offer = try String(contentsOf: folder.appending(path: "001-offer-sent.sdp"), encoding: .utf8)
        #expect(offer == "v=0\r\na=ice-ufrag:abc\r\na=ice-pwd:(removed)\r\na=crypto:(removed)\r\na=mid:0\r\n")
        let answer = try String(
            contentsOf: folder.appending(path: "002-answer-received.sdp"),
            encoding: .utf8
        )
        #expect(answer == offer)
        let manager = FileManager.default
        let attributes = try manager.attributesOfItem(
            atPath: folder.appending(path: "001-offer-sent.sdp").path
        )
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try manager.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int == 0o700)
    }

    @Test("Candidates and events are stored as JSON lines")
    func lines() async throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let dump = try DumpFolder(folder.path)
        let events = EventWriter(isEnabled: false)
        await events.copy(to: dump)
        await events.write("media.connected")
        await dump.keep(.candidate(ICECandidate(candidate: "candidate:1", sdpMid: "0")), .received)
        let line = try String(contentsOf: folder.appending(path: "candidates.jsonl"), encoding: .utf8)
        #expect(line.contains(#""event":"candidate.received","candidate":"candidate:1","sdpMid":"0""#))
        let reported = try String(contentsOf: folder.appending(path: "events.jsonl"), encoding: .utf8)
        #expect(reported.contains(#""event":"media.connected""#) && reported.hasSuffix("\n"))
    }

    @Test("A dump folder that is not empty is rejected, and an empty one is used")
    func refused() throws {
        let folder = folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        _ = try DumpFolder(folder.path)
        let failure = #expect(throws: Failure.self) { _ = try DumpFolder(folder.path) }
        #expect(failure?.exit == 64)
        #expect(throws: Failure.self) { _ = try DumpFolder(folder.path + "/events.jsonl/x") }
    }

    @Test("The report hides the values of secret flags", arguments: [["--token", "hush"], ["--turn=hush"]])
    func arguments(secret: [String]) {
        let settings = Settings(environment: ["CALLRUNNER_TOKEN": "hush"], file: .none)
        let text = MachineReport.text(
            settings,
            arguments: ["callrunner", "--room", "1"] + secret + ["--caller"]
        )
        #expect(!text.contains("hush"))
        #expect(text.contains("callrunner --room 1 \(secret[0].prefix(6))"))
        #expect(text.contains("(hidden) --caller"))
    }

    @Test("The report lists flags given as “--flag value” and “--flag=value”, and hides secrets")
    func flags() {
        let arguments = [
            "callrunner", "call", "--name", "Ann", "--caller", "--duration=4s", "--retries", "-1", "--stun",
            "stun:a",
            "--stun=stun:b", "--token", "hush", "--source", "rtsp://ann:hush@cam/1", "--unknown", "x",
        ]
        let text = MachineReport.text(Settings(environment: [:], file: .none), arguments: arguments)
        for line in [
            "name             Ann", "caller           true", "duration         4s", "retries          -1",
            "stun             stun:a,stun:b", "token            (hidden)", "source           rtsp://cam/1",
        ] { #expect(text.contains("\n\(line)  (command line)\n"), "\(text)") }
        #expect(!text.contains("hush") && text.contains("\nroom             not set  (default)\n"))
    }

    @Test(
        "The report hides secrets in URLs",
        arguments: [
            ["--server", "https://ann:hush@h/?token=hush"], ["--server=https://ann:hush@h/?token=hush#hush"],
        ]
    )
    func addresses(server: [String]) {
        let settings = Settings(environment: [:], file: .none)
        let text = MachineReport.text(settings, arguments: ["callrunner"] + server + ["--caller"])
        #expect(!text.contains("hush"))
        #expect(text.contains("https://h/?token=(hidden) --caller"))
    }
}
