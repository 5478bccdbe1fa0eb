internal import FoundationEssentials
internal import GRDB
internal import HTTPFront
internal import ServerStore

/// A key that signs playback tokens; the server stores only its public half.
struct SigningKeyRecord: Hashable, Sendable {
    let id: String
    /// The time of creation in seconds since 1970.
    let created: Int
    /// The public key in PEM.
    let publicKey: String
}

/// The stored signing keys.
struct SigningKeyTable: Sendable {
    static let migration = ServerDatabase.Migration("live 3") { database in
        try database.execute(
            sql: """
                ALTER TABLE live_stream ADD COLUMN policy TEXT NOT NULL DEFAULT 'public';
                ALTER TABLE live_stream ADD COLUMN recording_policy TEXT NOT NULL DEFAULT 'public';
                ALTER TABLE live_recording ADD COLUMN policy TEXT NOT NULL DEFAULT 'public';
                CREATE TABLE live_signing_key (
                    id TEXT PRIMARY KEY,
                    created INTEGER NOT NULL,
                    public_key TEXT NOT NULL
                ) STRICT;
                """
        )
    }

    let database: ServerDatabase

    /// Reads all keys, the newest first.
    ///
    /// - Throws: `ServerStoreFailure`.
    func all() async throws -> [SigningKeyRecord] {
        try await database.read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT * FROM live_signing_key ORDER BY created DESC, rowid DESC"
            )
            .map { SigningKeyRecord(id: $0["id"], created: $0["created"], publicKey: $0["public_key"]) }
        }
    }

    /// Stores a new key.
    ///
    /// - Throws: `ServerStoreFailure`.
    func insert(_ record: SigningKeyRecord) async throws {
        try await database.write { database in
            try database.execute(
                sql: "INSERT INTO live_signing_key (id, created, public_key) VALUES (?, ?, ?)",
                arguments: [record.id, record.created, record.publicKey]
            )
        }
    }

    /// Deletes a key; returns false if there is none.
    ///
    /// - Throws: `ServerStoreFailure`.
    func delete(_ id: String) async throws -> Bool {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM live_signing_key WHERE id = ?", arguments: [id])
            return database.changesCount > 0
        }
    }
}
