import AccountsTesting
import Basics
import CallTesting
import GRDB
import ServerStore
import Testing

@testable import AccountsServer

/// The table of sessions, compared with the model of its rules.
@Suite("The sessions of users")
struct SessionTableTests {
    /// A table in memory with one user.
    private struct Table {
        let queue: DatabaseQueue
        var now = 1000
        let lifetime = 30 * 86_400

        init() throws {
            queue = try DatabaseQueue()
            var migrator = DatabaseMigrator()
            for migration in AccountSchema.migrations {
                migrator.registerMigration(migration.name, migrate: migration.change)
            }
            try migrator.migrate(queue)
            try queue.write { database in
                _ = try UserTable(database: database, now: 0)
                    .add(phone: "+79219999999", name: "Ann", username: "ann")
            }
        }

        func change<Value>(_ body: (SessionTable) throws -> Value) throws -> Value {
            try queue.write { try body(SessionTable(database: $0, now: now, lifetime: lifetime)) }
        }

        func begin(_ id: String, _ token: String) throws {
            _ = try change { try $0.begin(user: AccountSchema.firstID, device: "test", id: id, token: token) }
        }

        func refresh(_ token: String, _ next: String) throws -> SessionTable.Result {
            try change { try $0.refresh(token, next: next) }
        }

        func use(_ token: String, in session: String = "s") throws {
            try change { try $0.confirm(session: session, token: RefreshToken.name(of: token)) }
        }

        func sessions() throws -> [String] {
            try change { try $0.sessions(of: AccountSchema.firstID).map(\.id) }
        }
    }

    /// Returns a digest, whose first 16 letters are its name.
    private static func token(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "t", count: 16 - text.count) + text + "rest"
    }

    private func isIssued(_ result: SessionTable.Result) -> Bool {
        if case .issued = result { true } else { false }
    }

    @Test("If a user has too many tokens, the session with the most of them ends")
    func manyTokens() throws {
        let table = try Table()
        try table.begin("small", Self.token(1))
        try table.begin("large", Self.token(1000))
        var hasEnded = false
        for number in 1000..<1299 {
            let result = try table.refresh(Self.token(number), Self.token(number + 1))
            guard case .issued(let issue) = result else {
                Issue.record("a token was refused")
                return
            }
            hasEnded = try table.queue.write { database in
                var limited = SessionTable(database: database, now: table.now, lifetime: table.lifetime)
                limited.mostTokens = 299
                return try limited.limitTokens(after: issue)
            }
            // They are counted at the 100th, the 200th and the 300th generation.
            #expect(hasEnded == (number == 1298))
        }
        #expect(try table.sessions() == ["small"])
    }

    @Test("For random uses of tokens, the table gives the same results as a reference model")
    func model() throws {
        var issued = 0
        var stolen = 0
        for seed in 0..<max(200, Simulation.schedules / 10) {
            var random = SeededGenerator(seed: seed)
            var table = try Table()
            var model = SessionServer(lifetime: .seconds(600))
            let start = table.now
            _ = model.begin(at: .zero)
            try table.begin("s", Self.token(1))
            var newest = 1
            for _ in 0..<40 {
                table.now += [0, 1, 50, 200].randomElement(using: &random) ?? 0
                let time = Duration.seconds(table.now - start)
                let number = Int.random(in: max(1, newest - 3)...newest, using: &random)
                if Bool.random(using: &random) {
                    // An access token is used while it lives.
                    if model.accepts(number, at: time) { try table.use(Self.token(number)) }
                    continue
                }
                let expected = model.refresh(number, at: time)
                let result = try table.refresh(Self.token(number), Self.token(newest + 1))
                switch expected {
                case .issued(let next):
                    newest = next
                    issued += 1
                    #expect(isIssued(result), "seed \(seed)")
                case .refused:
                    #expect(!isIssued(result), "seed \(seed)")
                    let isStolen = result == .stolen(user: AccountSchema.firstID)
                    #expect(isStolen == model.sawTheft, "seed \(seed)")
                    if isStolen { stolen += 1 }
                }
                let isAlive = try table.sessions() == ["s"]
                #expect(isAlive != model.isRevoked, "seed \(seed)")
                if model.isRevoked { break }
            }
        }
        #expect(issued > 400 && stolen > 20, "\(issued) tokens, \(stolen) thefts")
    }

    @Test("A replaced refresh token is valid until its successor is used, and for at most a day")
    func overlap() throws {
        var table = try Table()
        try table.begin("s", Self.token(1))
        #expect(isIssued(try table.refresh(Self.token(1), Self.token(2))))
        table.now += 86_400
        #expect(isIssued(try table.refresh(Self.token(1), Self.token(3))))
        // The day counts from the first use.
        table.now += 1
        #expect(try table.refresh(Self.token(1), Self.token(4)) == .refused)
        // The session goes on with either of the others.
        #expect(isIssued(try table.refresh(Self.token(2), Self.token(5))))
    }

    @Test("A refresh token that is not used within its lifetime is refused")
    func expiry() throws {
        var table = try Table()
        try table.begin("s", Self.token(1))
        table.now += table.lifetime - 1
        let other = try table.refresh(Self.token(1), Self.token(2))
        #expect(isIssued(other))
        table.now += table.lifetime
        #expect(try table.refresh(Self.token(2), Self.token(3)) == .refused)
        #expect(try table.sessions() == ["s"])
    }

    @Test("After the clock is set back, a replaced token is refused but not treated as stolen")
    func clockSetBack() throws {
        var table = try Table()
        try table.begin("s", Self.token(1))
        _ = try table.refresh(Self.token(1), Self.token(2))
        try table.use(Self.token(2))
        table.now -= 900
        #expect(try table.refresh(Self.token(1), Self.token(3)) == .refused)
        #expect(try table.sessions() == ["s"])
    }

    @Test("Ending a session does not end other sessions, and only its own user can end it")
    func end() throws {
        let table = try Table()
        try table.begin("a", Self.token(1))
        try table.begin("b", Self.token(2))
        #expect(try table.change { try $0.end("a", of: 2) } == false)
        #expect(try table.change { try $0.end("a", of: AccountSchema.firstID) })
        #expect(try table.change { try $0.end("a", of: AccountSchema.firstID) } == false)
        #expect(try table.sessions() == ["b"])
        #expect(try table.refresh(Self.token(1), Self.token(3)) == .refused)
        #expect(isIssued(try table.refresh(Self.token(2), Self.token(4))))
    }

    @Test("A session ends when its token has been refreshed too often")
    func generations() throws {
        let table = try Table()
        try table.begin("s", Self.token(1))
        #expect(isIssued(try table.refresh(Self.token(1), Self.token(2))))
        // As if the token had been refreshed almost as often as allowed since the first one.
        try table.queue.write { database in
            let oldest = try Int.fetchOne(database, sql: "SELECT min(generation) FROM account_token") ?? 0
            for sql in [
                "UPDATE account_token SET generation = ? WHERE generation > \(oldest)",
                "UPDATE account_session SET generation = ?",
            ] {
                let newest = oldest + SessionTable.mostGenerations - 1
                try database.execute(sql: sql, arguments: [newest])
            }
        }
        #expect(isIssued(try table.refresh(Self.token(2), Self.token(3))))
        #expect(try table.refresh(Self.token(3), Self.token(4)) == .refused)
        #expect(try table.sessions() == [])
    }

    @Test("Above a hundred sessions, the least recently used one ends")
    func most() throws {
        var table = try Table()
        for number in 1...SessionTable.most {
            table.now += 1
            try table.begin("s\(number)", Self.token(number))
        }
        table.now += 1
        _ = try table.refresh(Self.token(1), Self.token(1000))
        table.now += 1
        try table.begin("new", Self.token(2000))
        let sessions = try table.sessions()
        #expect(sessions.count == SessionTable.most)
        #expect(sessions.contains("new") && sessions.contains("s1") && !sessions.contains("s2"))
    }
}
