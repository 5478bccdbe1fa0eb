import AppFlow
import Basics
import CallCore
import Foundation
import Testing

@testable import callrunner

@Suite("Stored past calls", .timeLimit(.minutes(4)))
struct PastCallTests {
    private let home = FileManager.default.temporaryDirectory.appending(path: "calls-\(UUID())").path

    private var path: String { "\(home)/.config/callrunner/calls.json" }

    private func memory() -> LiveAppMemory { LiveAppMemory(environment: ["HOME": home]) { _ in } }

    private static func call(_ minute: Int64, _ result: PastCall.Result) throws -> PastCall {
        PastCall(
            peer: minute.isMultiple(of: 2) ? "Анна \"x\"" : nil,
            room: try RoomID(4711),
            isOutgoing: minute.isMultiple(of: 3),
            began: Timestamp(milliseconds: 1_769_860_800_000 + minute * 60_000),
            result: result
        )
    }

    @Test("Calls are available after a restart, the newest first, until the logout")
    func restart() async throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        let results: [PastCall.Result] = [
            .held(.seconds(75)), .held(nil), .missed, .declined, .unanswered, .failed,
        ]
        let calls = try results.enumerated().map { try Self.call(Int64($0), $1) }
        for call in calls { try await memory().remember(call) }
        #expect(await memory().pastCalls() == calls.reversed())
        try await memory().forgetIdentity()
        #expect(await memory().pastCalls().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("Deleting past calls also deletes the damaged file, and no other data")
    func forgotten() async throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        let memory = memory()
        let identity = Identity(username: try Username("Ann"), room: try RoomID(1))
        try await memory.remember(RememberedIdentity(identity: identity, role: .caller))
        try await memory.remember(try Self.call(1, .missed))
        try Data().write(to: URL(filePath: "\(path).damaged"))
        try await memory.forgetCalls()
        #expect(await memory.pastCalls().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: "\(path).damaged"))
        #expect(await memory.identity()?.identity == identity)
    }

    @Test("A damaged file is moved aside, and the next call is saved")
    func damaged() async throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        let call = try Self.call(1, .missed)
        try await memory().remember(call)
        try Data("{\"a\":".utf8).write(to: URL(filePath: path))
        try await memory().remember(call)
        #expect(await memory().pastCalls() == [call])
        #expect(try String(contentsOfFile: "\(path).damaged", encoding: .utf8) == "{\"a\":")
    }

    @Test("A file that cannot be read is not replaced")
    func unreadable() async throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let call = try Self.call(1, .missed)
        await #expect(throws: StoreFailure.self) { try await memory().remember(call) }
        #expect(await memory().pastCalls().isEmpty)
    }

    @Test(
        "Items that are not calls are skipped",
        arguments: [
            "1", "{}", #"{"began":"x","room":1,"outgoing":true,"result":"missed"}"#,
            #"{"began":"2026-01-31T12:00:00Z","room":0,"outgoing":true,"result":"missed"}"#,
            #"{"began":"2026-01-31T12:00:00Z","room":1,"outgoing":1,"result":"missed"}"#,
            #"{"began":"2026-01-31T12:00:00Z","room":1,"outgoing":true,"result":"lost"}"#,
        ]
    )
    func invalid(item: String) throws {
        #expect(PastCall(try JSON(parsing: Array(item.utf8))) == nil)
    }

    @Test("A negative duration becomes zero")
    func duration() throws {
        let text =
            #"{"began":"2026-01-31T12:00:00Z","room":1,"outgoing":true,"result":"held","seconds":-5}"#
        #expect(PastCall(try JSON(parsing: Array(text.utf8)))?.result == .held(.zero))
    }
}
