import ChatCore
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServerStore
import Testing

@testable import ChatServer

@Suite("The folder with the files of the chat", .timeLimit(.minutes(4)))
struct MediaShelfTests {
    @Test("Hundreds of a person's tiny files are removed, also on disk, to make room for a new file")
    func tinyFiles() async throws {
        let root = FileManager.default.temporaryDirectory.path + "/chat-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: root) }
        let database = try await ServerDatabase.open(ServerFolder(root), ChatSchema.migrations)
        let folder = "\(root)/media"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        var quota = MediaQuota.ofServer
        (quota.filesOfPerson, quota.removedAtOnce) = (500, 256)
        let ids = (0..<1100).map { _ in UUID().uuidString.lowercased() }
        for id in ids {
            _ = FileManager.default.createFile(atPath: "\(folder)/\(id)", contents: Data([1]))
        }
        try await database.write { database in
            for id in ids {
                let media = ChatMedia(id: id, url: ChatMedia.path(id), type: "text/plain", bytes: 1)
                try ChatTables(database, now: 1).add(media, owner: 20)
            }
        }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let shelf = MediaShelf(folder, database, quota, logger: logger)
        let media = try await shelf.store(RequestBody(buffer: ByteBuffer(string: "x")), of: 20)
        let known = try await database.read { try ChatTables($0, now: 0).mediaIDs() }
        #expect(known.count == 500 && known.contains(media.id))
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder)) == known)
    }

    @Test("A file without a database entry is kept for 30 days, and restored if an entry is added")
    func leftovers() async throws {
        let root = FileManager.default.temporaryDirectory.path + "/chat-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: root) }
        let database = try await ServerDatabase.open(ServerFolder(root), ChatSchema.migrations)
        let folder = "\(root)/media"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        func age(_ name: String) throws {
            let date = Date(timeIntervalSinceNow: -31 * 24 * 3600)
            let attributes = [FileAttributeKey.modificationDate: date]
            try FileManager.default.setAttributes(attributes, ofItemAtPath: "\(folder)/\(name)")
        }
        let (lost, repaired, foreign) = (UUID().uuidString, UUID().uuidString, "notes.txt")
        for name in [".a.part", lost, repaired, foreign] {
            _ = FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data([1]))
            try age(name)
        }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let shelf = MediaShelf(folder, database, logger: logger)
        func files() throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: folder))
        }
        for _ in 0..<2 {
            try await shelf.removeLeftovers()
            #expect(try files() == ["\(lost).unknown", "\(repaired).unknown", foreign])
        }
        try await database.write { database in
            let url = ChatMedia.path(repaired)
            let media = ChatMedia(id: repaired, url: url, type: "text/plain", bytes: 1)
            try ChatTables(database, now: 1).add(media, owner: 20)
        }
        for name in [lost, repaired] { try age("\(name).unknown") }
        try await shelf.removeLeftovers()
        #expect(try files() == [repaired, foreign])
    }
}
