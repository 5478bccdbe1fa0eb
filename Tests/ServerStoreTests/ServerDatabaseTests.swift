import Foundation
import GRDB
import Testing

@testable import ServerStore

/// A folder for a server that is removed with the value.
private final class TestFolder {
    let folder: ServerFolder
    private let root: String

    init() {
        root = FileManager.default.temporaryDirectory.path + "/server-\(UInt64.random(in: 0 ... .max))"
        folder = ServerFolder(root + "/a/data")
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func permissions(_ name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
        return attributes[.posixPermissions] as? Int
    }
}

@Suite("The database of a server")
struct ServerDatabaseTests {
    private let place = TestFolder()
    private let notes = ServerDatabase.Migration("notes 1") { database in
        try database.execute(sql: "CREATE TABLE note (text TEXT NOT NULL) STRICT")
    }

    private func open(_ migrations: [ServerDatabase.Migration]? = nil) async throws -> ServerDatabase {
        try await ServerDatabase.open(place.folder, migrations ?? [notes])
    }

    private func failure(_ migrations: [ServerDatabase.Migration]? = nil) async -> ServerStoreFailure? {
        do {
            _ = try await open(migrations)
            return nil
        } catch { return error as? ServerStoreFailure }
    }

    private func add(_ text: String, to database: ServerDatabase) async throws {
        try await database.write { try $0.execute(sql: "INSERT INTO note VALUES (?)", arguments: [text]) }
    }

    private func texts(_ database: ServerDatabase) async throws -> [String] {
        try await database.read { try String.fetchAll($0, sql: "SELECT text FROM note ORDER BY rowid") }
    }

    @Test("A folder can be created below a folder, but not below a file")
    func creation() {
        #expect(place.folder.canBeMade)
        #expect(ServerFolder("folder").canBeMade)
        #expect(!ServerFolder("/dev/null/a/data").canBeMade)
    }

    @Test("Stored rows survive reopening the database")
    func persistence() async throws {
        do {
            let database = try await open()
            try await add("one", to: database)
        }
        let database = try await open()
        let texts = try await texts(database)
        #expect(texts == ["one"])
    }

    @Test("A change that throws is rolled back")
    func rollback() async throws {
        struct Stop: Error {}
        let database = try await open()
        await #expect(throws: Stop.self) {
            try await database.write { database in
                try database.execute(sql: "INSERT INTO note VALUES ('half')")
                throw Stop()
            }
        }
        let texts = try await texts(database)
        #expect(texts == [])
    }

    @Test(
        "Opening a folder in use is refused with the ID of the process that uses it, until it is released"
    )
    func lock() async throws {
        var first: ServerDatabase? = try await open()
        let refusal = await failure()
        let process = Int(ProcessInfo.processInfo.processIdentifier)
        #expect(refusal == .inUse(place.folder.path, process: process))
        try await first?.write { _ in }
        first = nil
        let afterwards = await failure()
        #expect(afterwards == nil)
    }

    @Test("Only the user can read the folder and its files")
    func permissions() async throws {
        let database = try await open()
        try await add("one", to: database)
        for name in ["callrunner.db", "callrunner.db-wal", "callrunner.db-shm", "lock"] {
            let permissions = try place.permissions(name)
            #expect(permissions == 0o600, "\(name)")
        }
        let folder = try place.permissions(".")
        #expect(folder == 0o700)
    }

    @Test("A file that is not a database is refused and remains unchanged")
    func damage() async throws {
        do { _ = try await open() }
        let path = place.folder.path("callrunner.db")
        for companion in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + companion) }
        let content = Data(repeating: 0x41, count: 8192)
        try content.write(to: URL(fileURLWithPath: path))
        let refusal = await failure()
        guard case .damaged(path, _)? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        let kept = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(kept == content)
    }

    @Test("A damaged page is detected when the database is opened")
    func damagedPage() async throws {
        do {
            let database = try await open()
            for number in 0..<200 { try await add(String(repeating: "\(number) ", count: 100), to: database) }
        }
        let path = place.folder.path("callrunner.db")
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 4096 * 3)
        try file.write(contentsOf: Data(repeating: 0xFF, count: 4096))
        try file.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let refusal = await failure()
        guard case .damaged(path, _)? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        let after = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(before == after)
    }

    @Test("Every commit is flushed to the disk (PRAGMA synchronous is FULL)")
    func synchronous() async throws {
        let database = try await open()
        let mode = try await database.write { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        #expect(mode == 2)
    }

    @Test("A deleted text is no longer in any of the files")
    func forgotten() async throws {
        let database = try await open()
        try await add("a secret of somebody", to: database)
        try await database.write { try $0.execute(sql: "DELETE FROM note") }
        await database.forgetDeleted()
        for name in ["callrunner.db", "callrunner.db-wal"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: place.folder.path(name)))
            #expect(bytes.firstRange(of: Data("a secret of somebody".utf8)) == nil, "\(name)")
        }
    }

    @Test("A database can be opened again although a process that is being started shares the lock")
    func sharedLock() async throws {
        var database: ServerDatabase? = try await open()
        let path = place.folder.path("lock")
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let name = descriptors.first {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
        // Like a forked process, a duplicate shares the lock.
        let shared = dup(try #require(name.flatMap { Int32($0) }))
        defer { close(shared) }
        withExtendedLifetime(database) {}
        database = nil
        let refusal = await failure()
        #expect(refusal == nil)
    }

    @Test("A database with unknown migrations is refused as newer")
    func newer() async throws {
        do { _ = try await open([notes, ServerDatabase.Migration("notes 2") { _ in }]) }
        let path = place.folder.path("callrunner.db")
        // Whoever gets the lock of the folder finds the file closed.
        let refusal = await failure()
        #expect(refusal == .newer(path))
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        _ = await failure()
        let after = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(before == after)
        // The version that knows them still reads it.
        let again = await failure([notes, ServerDatabase.Migration("notes 2") { _ in }])
        #expect(again == nil)
    }

    @Test("Completed migrations are not run again, and new ones change existing tables and rows")
    func migration() async throws {
        do {
            let database = try await open()
            try await add("one", to: database)
        }
        let second = ServerDatabase.Migration("notes 2") { database in
            try database.execute(sql: "ALTER TABLE note ADD COLUMN length INTEGER NOT NULL DEFAULT 7")
        }
        let database = try await open([notes, second])
        let lengths = try await database.read { try Int.fetchAll($0, sql: "SELECT length FROM note") }
        #expect(lengths == [7])
    }

    @Test("A folder that cannot be created is refused")
    func unusable() async throws {
        let folder = ServerFolder("/proc/none/data")
        await #expect(throws: ServerStoreFailure.self) { try await ServerDatabase.open(folder, []) }
        await #expect(throws: ServerStoreFailure.self) {
            try await ServerDatabase.open(ServerFolder("/dev/null/data"), [])
        }
    }

    @Test("A backup during changes is consistent, readable only by the user, and does not replace a file")
    func backup() async throws {
        let database = try await open()
        let pairs = 200
        try await add("first", to: database)
        try await add("second", to: database)
        let copy = place.folder.path("copy.db")
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                for number in 0..<pairs {
                    // Both rows of a pair are in the copy, or none.
                    try await database.write { database in
                        for _ in 0..<2 {
                            try database.execute(sql: "INSERT INTO note VALUES (?)", arguments: ["\(number)"])
                        }
                    }
                }
            }
            try await ServerDatabase.backUp(place.folder, to: copy)
        }
        let rows = try await DatabaseQueue(path: copy).read { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM note") ?? -1
        }
        #expect(rows.isMultiple(of: 2) && rows >= 2)
        let permissions = try place.permissions("copy.db")
        #expect(permissions == 0o600)
        await #expect(throws: ServerStoreFailure.self) {
            try await ServerDatabase.backUp(place.folder, to: copy)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
        #expect(names.filter { $0.hasPrefix("copy.db") } == ["copy.db"])
    }

    @Test("A stored secret is never overwritten, and is refused if other users may read it")
    func secrets() throws {
        let folder = place.folder
        try folder.make()
        #expect(try folder.secret("key") == nil)
        try folder.create("key", [1, 2, 3])
        #expect(try folder.secret("key") == [1, 2, 3])
        #expect(throws: ServerStoreFailure.self) { try folder.create("key", [4]) }
        #expect(try folder.secret("key") == [1, 2, 3])
        let permissions = try place.permissions("key")
        #expect(permissions == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path("key"))
        #expect(throws: ServerStoreFailure.self) { try folder.secret("key") }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names == ["key"])
    }

    @Test(
        "The default folder comes from STATE_DIRECTORY, XDG_DATA_HOME or HOME, in this order",
        arguments: [
            (["STATE_DIRECTORY": "/var/lib/callrunner:/b", "HOME": "/h"], "/var/lib/callrunner"),
            (["XDG_DATA_HOME": "/d", "HOME": "/h"], "/d/callrunner/server"),
            (["XDG_DATA_HOME": "relative", "HOME": "/h"], "/h/.local/share/callrunner/server"),
            ([:], nil),
        ] as [([String: String], String?)]
    )
    func usualFolder(environment: [String: String], path: String?) {
        #expect(ServerFolder.usual(environment)?.path == path)
    }
}
