import Basics
import ChatCore
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServerStore
import Testing

@testable import ChatServer

@Suite("The export of a person's chat", .timeLimit(.minutes(4)))
struct ChatExportTests {
    /// A database, and a folder for files, which are removed afterwards.
    private struct Rig {
        let database: ServerDatabase
        let shelf: MediaShelf

        func perform(_ operations: [ChatOperation]) async throws {
            try await database.write { database in
                for (index, operation) in operations.enumerated() {
                    _ = try ChatTables(database, now: Int64(1_000_000 + index)).perform(operation)
                }
            }
        }

        func store(_ bytes: [UInt8], of owner: Int) async throws -> String {
            try await shelf.store(RequestBody(buffer: ByteBuffer(bytes: bytes)), of: owner).id
        }

        /// Returns the export of a person, and the length of its longest part.
        func export(_ person: Int) async throws -> (json: JSON, longest: Int) {
            var (bytes, longest): ([UInt8], Int) = ([], 0)
            try await ChatExport(database: database, shelf: shelf).write(about: person) { part in
                bytes += part
                longest = max(longest, part.count)
            }
            return (try JSON(parsing: bytes), longest)
        }
    }

    private func withRig(_ body: (Rig) async throws -> Void) async throws {
        let root = FileManager.default.temporaryDirectory.path + "/chat-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: root) }
        let database = try await ServerDatabase.open(ServerFolder(root), ChatSchema.migrations)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        try await body(Rig(database: database, shelf: MediaShelf("\(root)/media", database, logger: logger)))
    }

    private func message(_ id: String, _ text: String = "x", from sender: Int, to recipient: Int)
        -> ChatOperation
    {
        .message(ChatDraft(id: id, from: sender, to: recipient, text: text))
    }

    @Test("All messages of a person's conversations are exported in order, and none of other people")
    func messages() async throws {
        try await withRig { rig in
            let long = String(repeating: "щ", count: 4000)
            let ids = (0..<450).map { "m\($0)" }
            try await rig.perform(ids.map { message($0, long, from: 500, to: 501) })
            try await rig.perform([
                message("a", from: 502, to: 500), message("b", from: 501, to: 502),
                .block(person: 500, blocked: 503, isBlocked: true),
                .block(person: 503, blocked: 501, isBlocked: true),
                .report(person: 500, reported: 503, reason: "spam"),
                .read(id: "a", person: 500, peer: 502),
            ])
            let (export, longest) = try await rig.export(500)
            let conversations = try #require(export["conversations"]?.arrayValue)
            #expect(conversations.map { $0["withId"] } == [501, 502])
            let first = conversations[0]["messages"]?.arrayValue ?? []
            #expect(
                first.map { $0["id"]?.stringValue } == ids
                    && first.allSatisfy { $0["message"] == .string(long) }
            )
            #expect(conversations[1]["messages"]?.arrayValue?.map { $0["id"] } == ["a"])
            #expect(conversations[1]["readId"] == "a")
            #expect(export["blocked"] == [503])
            #expect(export["reports"]?.arrayValue?.map { $0["reason"] } == ["spam"])
            #expect(export["files"] == [])
            // All texts together have 3.6 MB.
            #expect(longest < 500_000)
        }
    }

    @Test("Files that a person has sent or received are exported with their content, and no other files")
    func files() async throws {
        try await withRig { rig in
            let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            let (sent, unsent) = (try await rig.store(bytes, of: 500), try await rig.store([1, 2], of: 500))
            let received = try await rig.store([3], of: 501)
            let (foreign, lost) = (try await rig.store([4], of: 501), try await rig.store([5], of: 500))
            func file(_ id: String, from sender: Int, to recipient: Int) -> ChatOperation {
                var draft = ChatDraft(id: "m-\(id)", from: sender, to: recipient, text: "")
                draft.media = id
                return .message(draft)
            }
            try await rig.perform([
                file(sent, from: 500, to: 501), file(received, from: 501, to: 500),
                file(foreign, from: 501, to: 502),
            ])
            try FileManager.default.removeItem(atPath: rig.shelf.path(lost))
            let (export, longest) = try await rig.export(500)
            let files = try #require(export["files"]?.arrayValue)
            let contents = Dictionary(
                uniqueKeysWithValues: files.map {
                    ($0["id"]?.stringValue ?? "", $0["base_64"]?.stringValue.flatMap { Base64.decode($0) })
                }
            )
            #expect(contents == [sent: bytes, unsent: [1, 2], received: [3], lost: nil])
            #expect(files.first { $0["id"] == .string(sent) }?["bytes"] == 200_000)
            #expect(longest < 70_000)
        }
    }

    @Test("The export of somebody without a chat is empty, and an error of the reader ends it")
    func nobody() async throws {
        struct Gone: Error {}
        try await withRig { rig in
            let (export, _) = try await rig.export(500)
            #expect(export == ["blocked": [], "reports": [], "conversations": [], "files": []])
            await #expect(throws: Gone.self) {
                try await ChatExport(database: rig.database, shelf: rig.shelf).write(about: 500) { _ in
                    throw Gone()
                }
            }
        }
    }
}
