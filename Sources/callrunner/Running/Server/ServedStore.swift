internal import AccountsServer
internal import ChatServer
internal import LiveServer
internal import ServerStore
internal import Synchronization

/// The database of a server, which is opened for the first service that needs it.
final class ServedStore: Sendable {
    /// The database migrations of all services, including those that are off.
    static let migrations = AccountSchema.migrations + ChatSchema.migrations + LiveSchema.migrations

    /// The folder with the data; nil if there is none.
    let folder: ServerFolder?
    private let opened = Mutex<ServerDatabase?>(nil)

    init(_ folder: ServerFolder?) { self.folder = folder }

    /// Returns the database, which the first call opens; calls must not overlap.
    ///
    /// - Throws: `ServerStoreFailure`.
    func database() async throws(ServerStoreFailure) -> ServerDatabase {
        if let database = opened.withLock(\.self) { return database }
        guard let folder else { throw .unusable("--data", "there is no folder") }
        let database = try await ServerDatabase.open(folder, Self.migrations)
        opened.withLock { $0 = database }
        return database
    }
}
