import GRDB
import ServerStore
import Testing

@testable import AccountsServer

@Suite("The tables of accounts")
struct AccountSchemaTests {
    @Test(
        "The migration from schema 1 gives users IDs from 1000, keeps their pictures and ends their sessions"
    )
    func newIDs() throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        for migration in AccountSchema.migrations {
            migrator.registerMigration(migration.name, migrate: migration.change)
        }
        try migrator.migrate(queue, upTo: "accounts 1")
        try queue.write { database in
            try database.execute(
                sql: """
                    INSERT INTO account_user (id, phone, username, username_key, name, created, seen)
                    VALUES (1, '+1', 'ann', 'ann', 'Ann', 0, 0), (2, '+2', 'bob', 'bob', 'Bob', 0, 0);
                    INSERT INTO account_avatar VALUES ('p', 2, 'image/png', 'b.png', x'00');
                    INSERT INTO account_session VALUES ('s', 1, 'd', 0, 0, 0, 0);
                    """
            )
        }
        try migrator.migrate(queue)
        try queue.write { database in
            let users = try Int.fetchAll(database, sql: "SELECT id FROM account_user ORDER BY id")
            #expect(users == [1000, 1001])
            #expect(try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM account_session") == 0)
            #expect(try Int.fetchOne(database, sql: "SELECT user FROM account_avatar") == 1001)
            let added = try UserTable(database: database, now: 0)
                .add(phone: "+3", name: "Cid", username: "cid")
            #expect(added == 1002)
        }
    }

    @Test("The first user of a new server has the ID 1000")
    func firstID() throws {
        let queue = try DatabaseQueue()
        try queue.write { database in
            for migration in AccountSchema.migrations { try migration.change(database) }
            let added = try UserTable(database: database, now: 0)
                .add(phone: "+3", name: "Cid", username: "cid")
            #expect(added == AccountSchema.firstID)
        }
    }
}
