import ChatCore
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServerStore
import Testing

@testable import ChatServer

@Suite("The folder with the files of the chat", .timeLimit(.minutes(1)))
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

    @Test("Unfinished uploads are removed at the start, and files missing from the database after 30 days")
    func leftovers() async throws {
        let root = FileManager.default.temporaryDirectory.path + "/chat-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: root) }
        let database = try await ServerDatabase.open(ServerFolder(root), ChatSchema.migrations)
        let folder = "\(root)/media"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let (old, recent, foreign) = (UUID().uuidString, UUID().uuidString, "notes.txt")
        for name in [".a.part", old, recent, foreign] {
            let age: TimeInterval = [old, foreign].contains(name) ? 31 * 24 * 3600 : 29 * 24 * 3600
            let attributes = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -age)]
            _ = FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data([1]))
            try FileManager.default.setAttributes(attributes, ofItemAtPath: "\(folder)/\(name)")
        }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        try await MediaShelf(folder, database, logger: logger).removeLeftovers()
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder)) == [recent, foreign])
    }
}
