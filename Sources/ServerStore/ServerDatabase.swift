package import GRDB
internal import Glibc
internal import NIOPosix
internal import Synchronization

/// The database of a server: one SQLite file in a folder that is locked against other processes.
package final class ServerDatabase: Sendable {
    /// A migration of a service's tables from one version to the next.
    package struct Migration: Sendable {
        package let name: String
        package let change: @Sendable (Database) throws -> Void

        /// Creates a migration; its name must be unique, and must not change after a release.
        package init(_ name: String, _ change: @escaping @Sendable (Database) throws -> Void) {
            (self.name, self.change) = (name, change)
        }
    }

    private static let name = "callrunner.db"
    /// The maximum time in seconds to wait for a locked file; other programs such as `sqlite3` may lock it.
    private static let busyTimeout = 5.0

    package let folder: ServerFolder
    private let lock: ServerFolderLock
    private let pool: DatabasePool

    private init(_ folder: ServerFolder, _ lock: ServerFolderLock, _ pool: DatabasePool) {
        (self.folder, self.lock, self.pool) = (folder, lock, pool)
    }

    /// Closes the file before the lock is released, so that no other process opens it in between.
    deinit { try? pool.close() }

    package var path: String { folder.path(Self.name) }

    /// Opens the database in a folder, and creates both if they do not exist.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - migrations: The migrations of all services; those that have not been applied yet are applied in this order.
    /// - Returns: The database; its folder is locked until the value is released.
    /// - Throws: `ServerStoreFailure`.
    package static func open(
        _ folder: ServerFolder,
        _ migrations: [Migration]
    ) async throws(ServerStoreFailure) -> ServerDatabase {
        let handover = Handover()
        do {
            try await NIOThreadPool.singleton.runIfActive {
                let database = try openNow(folder, migrations)
                handover.database.withLock { $0 = database }
            }
        } catch {
            throw failure(error, folder.path(name))
        }
        guard let database = handover.database.withLock({ $0.take() }) else {
            throw .unusable(folder.path(name), "the program is ending")
        }
        return database
    }

    /// A container that passes a database from the thread that has opened it to the caller.
    ///
    /// Without it, the thread would retain the returned value for a moment, so that the file would remain open after
    /// the caller has released it.
    private final class Handover: Sendable {
        let database = Mutex<ServerDatabase?>(nil)
    }

    private static func openNow(
        _ folder: ServerFolder,
        _ migrations: [Migration]
    ) throws(ServerStoreFailure) -> ServerDatabase {
        let lock = try ServerFolderLock(folder)
        let path = folder.path(name)
        try makeFile(path)
        do {
            let migrator = migrator(migrations)
            // Nothing is written to a database before it has been checked.
            if try !isEmpty(path) { try check(path, migrator) }
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.writeWithoutTransaction { database in
                // A change that was confirmed to a client must survive a power failure. GRDB sets NORMAL when it opens
                // the database.
                try database.execute(sql: "PRAGMA synchronous = FULL")
            }
            try migrator.migrate(pool)
            return ServerDatabase(folder, lock, pool)
        } catch {
            throw failure(error, path)
        }
    }

    private static func isEmpty(_ path: String) throws(ServerStoreFailure) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .unusable(path, String(cString: strerror(errno))) }
        return status.st_size == 0
    }

    private static func check(_ path: String, _ migrator: DatabaseMigrator) throws {
        let reader = try DatabaseQueue(path: path, configuration: reading)
        let isNewer = try reader.read { try migrator.hasBeenSuperseded($0) }
        guard !isNewer else { throw ServerStoreFailure.newer(path) }
        try checkPages(of: reader, path)
        try reader.close()
    }

    private static func checkPages(of database: DatabaseQueue, _ path: String) throws {
        let problem = try database.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
        guard problem == "ok" else { throw ServerStoreFailure.damaged(path, problem ?? "no answer") }
    }

    /// Creates the file with private permissions, because SQLite would let other users read it; SQLite gives its
    /// auxiliary files the same permissions.
    private static func makeFile(_ path: String) throws(ServerStoreFailure) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unusable(path, String(cString: strerror(errno))) }
        // The file may be a restored backup with other permissions.
        let isPrivate = fchmod(descriptor, 0o600) == 0
        close(descriptor)
        guard isPrivate else { throw .unusable(path, "other users may read it") }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busyTimeout)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            // Deleted texts and pictures do not stay in the file; see also `forgetDeleted()`.
            try database.execute(sql: "PRAGMA secure_delete = ON")
        }
        return configuration
    }

    private static var reading: Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(busyTimeout)
        return configuration
    }

    private static func failure(_ error: any Error, _ path: String) -> ServerStoreFailure {
        if let failure = error as? ServerStoreFailure { return failure }
        guard let error = error as? DatabaseError else { return .unusable(path, "\(error)") }
        let reason = error.message ?? "\(error.resultCode)"
        switch error.resultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT: return .damaged(path, reason)
        default: return .unusable(path, reason)
        }
    }

    /// The condition of a server's data.
    package enum Condition: Hashable, Sendable {
        /// There is no data yet.
        case absent
        case good
        case failed(ServerStoreFailure)
    }

    /// Determines the condition of the data in a folder, without preventing a server from using it.
    package static func condition(of folder: ServerFolder, _ migrations: [Migration]) async -> Condition {
        let path = folder.path(name)
        let condition = try? await NIOThreadPool.singleton.runIfActive { () -> Condition in
            guard access(path, F_OK) == 0 else { return .absent }
            do {
                try ServerFolderLock.check(folder)
                _ = try folder.secret(name, limit: 0)
                try check(path, migrator(migrations))
                return .good
            } catch {
                return .failed(failure(error, path))
            }
        }
        return condition ?? .absent
    }

    private static func migrator(_ migrations: [Migration]) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for migration in migrations {
            migrator.registerMigration(migration.name, migrate: migration.change)
        }
        return migrator
    }

    /// Performs read operations, concurrently with others; all changes made before the call are visible.
    ///
    /// - Throws: `ServerStoreFailure`, or an error of `body`.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do { return try await pool.read(body) } catch let error as DatabaseError {
            throw Self.failure(error, path)
        }
    }

    /// Performs changes in a transaction, one after the other; if `body` throws, none of its changes are stored.
    ///
    /// - Throws: `ServerStoreFailure`, or an error of `body`.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do { return try await pool.write(body) } catch let error as DatabaseError {
            throw Self.failure(error, path)
        }
    }

    /// Removes deleted data from the write-ahead log as well; if that is not possible now, it happens with later
    /// changes.
    package func forgetDeleted() async {
        _ = try? await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }

    /// Writes a consistent copy of the database in a folder to a new file that only the user can read.
    ///
    /// Another process may use the database at the same time.
    ///
    /// - Throws: `ServerStoreFailure`, also if the file exists.
    package static func backUp(_ folder: ServerFolder, to destination: String)
        async throws(ServerStoreFailure)
    {
        do {
            try await NIOThreadPool.singleton.runIfActive {
                try backUpNow(folder.path(name), to: destination)
            }
        } catch {
            throw failure(error, destination)
        }
    }

    private static func backUpNow(_ path: String, to destination: String) throws {
        guard access(path, R_OK) == 0 else {
            throw ServerStoreFailure.unusable(path, String(cString: strerror(errno)))
        }
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let part = "\(destination).\(UInt64.random(in: 0 ... .max))"
        let descriptor = Glibc.open(part, flags, 0o600)
        guard descriptor >= 0 else {
            throw ServerStoreFailure.unusable(destination, String(cString: strerror(errno)))
        }
        close(descriptor)
        defer { unlink(part) }
        let source: DatabaseQueue
        do { source = try DatabaseQueue(path: path, configuration: reading) } catch {
            throw failure(error, path)
        }
        let copy = try DatabaseQueue(path: part)
        try source.backup(to: copy)
        // The copy must be a single file, without a write-ahead log.
        try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        try checkPages(of: copy, path)
        try copy.close()
        // A hard link never replaces an existing file, and is created only when the copy is complete.
        guard link(part, destination) == 0 else {
            throw ServerStoreFailure.unusable(destination, String(cString: strerror(errno)))
        }
    }
}
