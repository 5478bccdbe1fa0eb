internal import GRDB
package import ServerStore

/// The database migrations of the chat.
package enum ChatSchema {
    package static let migrations = [
        ServerDatabase.Migration("chat 1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE chat_person (
                        id INTEGER PRIMARY KEY,
                        name TEXT NOT NULL
                    ) STRICT;

                    CREATE TABLE chat_media (
                        id TEXT PRIMARY KEY,
                        owner INTEGER NOT NULL,
                        type TEXT NOT NULL,
                        bytes INTEGER NOT NULL,
                        width INTEGER,
                        height INTEGER,
                        duration REAL,
                        created INTEGER NOT NULL
                    ) STRICT;
                    CREATE INDEX chat_media_created ON chat_media (created);

                    -- The numbers are the order of all conversations.
                    CREATE TABLE chat_message (
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        id TEXT NOT NULL UNIQUE,
                        low INTEGER NOT NULL,
                        high INTEGER NOT NULL,
                        sender INTEGER NOT NULL,
                        text TEXT NOT NULL,
                        time INTEGER NOT NULL,
                        is_automatic INTEGER NOT NULL DEFAULT 0,
                        is_edited INTEGER NOT NULL DEFAULT 0,
                        is_deleted INTEGER NOT NULL DEFAULT 0,
                        media TEXT,
                        reply_to TEXT
                    ) STRICT;
                    CREATE INDEX chat_message_pair ON chat_message (low, high, number);
                    CREATE INDEX chat_message_media ON chat_message (media) WHERE media IS NOT NULL;

                    CREATE TABLE chat_reaction (
                        message INTEGER NOT NULL REFERENCES chat_message ON DELETE CASCADE,
                        reaction TEXT NOT NULL,
                        person INTEGER NOT NULL,
                        PRIMARY KEY (message, reaction, person)
                    ) STRICT, WITHOUT ROWID;

                    -- A conversation as one of its two people has it.
                    CREATE TABLE chat_member (
                        person INTEGER NOT NULL,
                        peer INTEGER NOT NULL,
                        last INTEGER NOT NULL,
                        read INTEGER NOT NULL,
                        delivered INTEGER NOT NULL,
                        PRIMARY KEY (person, peer)
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX chat_member_last ON chat_member (person, last);

                    CREATE TABLE chat_block (
                        person INTEGER NOT NULL,
                        blocked INTEGER NOT NULL,
                        PRIMARY KEY (person, blocked)
                    ) STRICT, WITHOUT ROWID;

                    CREATE TABLE chat_report (
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        person INTEGER NOT NULL,
                        reported INTEGER NOT NULL,
                        reason TEXT NOT NULL,
                        time INTEGER NOT NULL
                    ) STRICT;

                    CREATE VIRTUAL TABLE chat_search USING fts5(
                        text, content = 'chat_message', content_rowid = 'number',
                        tokenize = 'unicode61 remove_diacritics 2'
                    );
                    """
            )
        },
        ServerDatabase.Migration("chat 2") { database in
            try database.execute(
                sql: """
                    CREATE INDEX chat_report_person ON chat_report (person, number);
                    CREATE INDEX chat_media_owner ON chat_media (owner, bytes);
                    """
            )
        },
        ServerDatabase.Migration("chat 3") { database in
            // The index contains both people of each message, so that a search reads only their messages, and the
            // prefixes of words, but not the positions of words.
            try database.execute(
                sql: """
                    DROP TABLE chat_search;
                    CREATE VIEW chat_searchable AS
                        SELECT number, low || ' ' || high AS people, text FROM chat_message WHERE text <> '';
                    CREATE VIRTUAL TABLE chat_search USING fts5(
                        people, text, content = 'chat_searchable', content_rowid = 'number',
                        tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3', detail = column
                    );
                    INSERT INTO chat_search (chat_search) VALUES ('rebuild');
                    """
            )
        },
        ServerDatabase.Migration("chat 4") { database in
            // The index would be updated twice per message, which costs more than sorting a person's few conversations.
            try database.execute(
                sql: """
                    DROP INDEX chat_member_last;

                    -- One row: the number of the last message that is in the index of searches, if it has a text.
                    CREATE TABLE chat_indexed (last INTEGER NOT NULL) STRICT;
                    INSERT INTO chat_indexed (last) SELECT coalesce(max(number), 0) FROM chat_message;
                    """
            )
        },
        ServerDatabase.Migration("chat 5") { database in
            // The people whose accounts were deleted; their names are not stored again.
            try database.execute(sql: "CREATE TABLE chat_deleted (person INTEGER PRIMARY KEY) STRICT")
        },
    ]
}
