import Basics
import ChatCore
import GRDB
import ServerStore
import Testing

@testable import ChatServer

@Suite("Message search")
struct ChatSearchTests {
    private let store: ChatStore

    init() throws { store = try ChatStore() }

    private func found(_ query: String, by person: Int) throws -> [String]? {
        try store.perform(.search(person: person, query: query)).found
    }

    /// Stores long messages whose words begin with each letter.
    private func fill(_ count: Int, from sender: Int, to recipient: Int) throws {
        _ = try store.performAll(
            (0..<count).map { number in
                let words = (0..<600).map { index in
                    let letter = Character(UnicodeScalar(UInt8(97 + index % 26)))
                    return "\(letter)\(number * 7 % 97)x\(index)"
                }
                let text = words.joined(separator: " ")
                let id = "l\(sender)-\(number)"
                return .message(ChatDraft(id: id, from: sender, to: recipient, text: text))
            }
        )
    }

    @Test("Other people's messages do not slow down a search")
    func otherPeople() throws {
        try fill(2000, from: 40, to: 50)
        try store.send("m", "apples, bread, cheese and dates", from: 20, to: 30)
        func search(_ query: String) throws -> [String]? {
            // A busy machine may interrupt one, but not all.
            for _ in 0..<20 {
                let found = try store.write {
                    try $0.indexRest()
                    return try $0.search(query, person: 20, within: .milliseconds(20))
                }
                if let found { return found.map(\.text) }
            }
            return nil
        }
        #expect(try search("a b c d e f g h") == [])
        #expect(try search("a b c d") == ["apples, bread, cheese and dates"])
    }

    @Test("A search that exceeds its time limit without a result returns nil")
    func timeLimit() throws {
        try fill(500, from: 20, to: 30)
        try store.write { try $0.indexRest() }
        #expect(try store.write { try $0.search("a1", person: 20, within: .zero) } == nil)
        #expect(try found("a1", by: 20)?.isEmpty == false)
        // The connection is used again, without a limit.
        #expect(try store.texts(20, 30).isEmpty == false)
    }

    @Test("A search word does not match a person's ID, and a person's ID does not match a longer ID")
    func people() throws {
        try store.send("m", "one", from: 20, to: 30)
        try store.send("n", "two 20", from: 200, to: 300)
        #expect(try found("30", by: 20) == [])
        #expect(try found("two", by: 20) == [])
        #expect(try found("2", by: 300) == ["two 20"])
    }

    @Test("Words joined by punctuation are searched for separately, and only the first eight count")
    func marks() throws {
        try store.send("m", "в Києві—на вокзалі", from: 20, to: 30)
        #expect(try found("киє—вокз", by: 20)?.count == 1)
        #expect(try found("вокз-киє", by: 20)?.count == 1)
        #expect(try found("на-на-на-на-на-на-на-на-нічого", by: 20)?.count == 1)
    }

    @Test(
        "Messages are found both inside and outside the index, and edited ones only by their newest text"
    )
    func rest() throws {
        for number in 0..<200 { try store.send("m\(number)", "green \(number)", from: 20, to: 30) }
        let indexed = try store.queue.read { database in
            try Int.fetchOne(
                database,
                sql: "SELECT COUNT(*) FROM chat_search WHERE chat_search MATCH 'green'"
            )
        }
        #expect(indexed == 128)
        for (name, text) in [("m10", "red 10"), ("m190", "red 190")] {
            try store.perform(.edit(id: name, text: text, person: 20, peer: 30))
        }
        for name in ["m11", "m191"] { try store.perform(.delete(id: name, person: 20, peer: 30)) }
        #expect(try found("red", by: 30) == ["red 190", "red 10"])
        #expect(try found("green 19", by: 30)?.contains("green 191") == false)
        #expect(try found("green 11", by: 30)?.contains("green 11") == false)
        #expect(try found("green 199", by: 30) == ["green 199"])
        try store.perform(.edit(id: "m199", text: "blue 199", person: 20, peer: 30))
        #expect(try found("green 199", by: 30) == [])
        #expect(try found("blue", by: 30) == ["blue 199"])
        try store.queue.write {
            try $0.execute(sql: "INSERT INTO chat_search (chat_search, rank) VALUES ('integrity-check', 1)")
        }
    }

    @Test("No random query causes an error", arguments: 0..<300)
    func anyText(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        try store.send("m", "text", from: 20, to: 30)
        var query = ""
        for _ in 0..<20 {
            let limit: UInt32 = Bool.random(using: &random) ? 0x80 : 0x1_F000
            if let scalar = UnicodeScalar(UInt32.random(in: 0..<limit, using: &random)) {
                query.unicodeScalars.append(scalar)
            }
        }
        #expect(try found(query, by: 31) == [])
    }

    @Test("A search index from an older version is rebuilt from the stored messages")
    func migration() throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        for migration in ChatSchema.migrations {
            migrator.registerMigration(migration.name, migrate: migration.change)
        }
        try migrator.migrate(queue, upTo: "chat 2")
        try queue.write { database in
            for (number, people, text) in [
                (1, (20, 30), "green tea"), (2, (40, 50), "green grass"), (3, (20, 30), ""),
            ] {
                try database.execute(
                    sql: """
                        INSERT INTO chat_message (number, id, low, high, sender, text, time, is_deleted)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        number, "m\(number)", people.0, people.1, people.0, text, number, text.isEmpty,
                    ]
                )
                guard !text.isEmpty else { continue }
                try database.execute(
                    sql: "INSERT INTO chat_search (rowid, text) VALUES (?, ?)",
                    arguments: [number, text]
                )
            }
        }
        try migrator.migrate(queue)
        func found(_ query: String, by person: Int) throws -> [String]? {
            try queue.write { try ChatTables($0, now: 9).perform(.search(person: person, query: query)) }
                .found
        }
        #expect(try found("gre", by: 30) == ["green tea"])
        #expect(try found("gre", by: 50) == ["green grass"])
        _ = try queue.write { database in
            try ChatTables(database, now: 9).perform(.edit(id: "m1", text: "black tea", person: 20, peer: 30))
        }
        #expect(try found("gre", by: 30) == [])
        #expect(try found("black tea", by: 20) == ["black tea"])
        try queue.write {
            try $0.execute(sql: "INSERT INTO chat_search (chat_search) VALUES ('integrity-check')")
        }
    }
}
