internal import GRDB
package import ServerStore

/// The database migrations of accounts.
package enum AccountSchema {
    package static let migrations = [
        ServerDatabase.Migration("accounts 1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE account_user (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        phone TEXT NOT NULL UNIQUE,
                        username TEXT NOT NULL,
                        username_key TEXT NOT NULL UNIQUE,
                        name TEXT NOT NULL,
                        birthday TEXT,
                        city TEXT,
                        vk TEXT,
                        instagram TEXT,
                        about TEXT,
                        avatar TEXT,
                        created INTEGER NOT NULL,
                        seen INTEGER NOT NULL
                    ) STRICT;

                    CREATE TABLE account_avatar (
                        id TEXT PRIMARY KEY,
                        user INTEGER NOT NULL UNIQUE REFERENCES account_user ON DELETE CASCADE,
                        type TEXT NOT NULL,
                        filename TEXT NOT NULL,
                        bytes BLOB NOT NULL
                    ) STRICT;

                    CREATE TABLE account_session (
                        id TEXT PRIMARY KEY,
                        user INTEGER NOT NULL REFERENCES account_user ON DELETE CASCADE,
                        device TEXT NOT NULL,
                        created INTEGER NOT NULL,
                        used INTEGER NOT NULL,
                        generation INTEGER NOT NULL,
                        is_confirmed INTEGER NOT NULL
                    ) STRICT;
                    CREATE INDEX account_session_user ON account_session (user);

                    CREATE TABLE account_token (
                        digest TEXT PRIMARY KEY,
                        session TEXT NOT NULL REFERENCES account_session ON DELETE CASCADE,
                        generation INTEGER NOT NULL,
                        issued INTEGER NOT NULL,
                        used INTEGER,
                        replaced INTEGER
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX account_token_session ON account_token (session, generation);
                    """
            )
        },
        // Lower IDs belong to people without an account in the chat. All users must sign in again, because tokens
        // contain the former IDs.
        ServerDatabase.Migration("accounts 2") { database in
            try database.execute(sql: "DELETE FROM account_session")
            for (table, column) in [("account_user", "id"), ("account_avatar", "user")] {
                try database.execute(sql: "UPDATE \(table) SET \(column) = -\(column) - \(firstID - 1)")
                try database.execute(sql: "UPDATE \(table) SET \(column) = -\(column)")
            }
            try database.execute(
                sql: """
                    DELETE FROM sqlite_sequence WHERE name = 'account_user';
                    INSERT INTO sqlite_sequence (name, seq)
                    SELECT 'account_user', max(\(firstID - 1), coalesce(max(id), 0)) FROM account_user;
                    """
            )
        },
    ]

    /// The lowest ID of a user.
    package static let firstID = 1000
}
