import ChatCore
import GRDB
import ServerStore

@testable import ChatServer

/// The tables of a chat in memory, whose times count from 1,000,000 microseconds.
final class ChatStore {
    let queue: DatabaseQueue
    private(set) var now: Int64 = 1_000_000

    init() throws {
        queue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        for migration in ChatSchema.migrations {
            migrator.registerMigration(migration.name, migrate: migration.change)
        }
        try migrator.migrate(queue)
    }

    func write<Value>(_ body: (ChatTables) throws -> Value) throws -> Value {
        now += 1
        return try queue.write { try body(ChatTables($0, now: now)) }
    }

    /// Performs an operation, as the server does.
    @discardableResult
    func perform(_ operation: ChatOperation) throws -> ChatOutcome {
        try write { tables in
            if case .search = operation { try tables.indexRest() }
            return try tables.perform(operation)
        }
    }

    /// Performs operations in one transaction.
    func performAll(_ operations: [ChatOperation]) throws -> [ChatOutcome] {
        try queue.write { database in
            try operations.map { operation in
                now += 1
                return try ChatTables(database, now: now).perform(operation)
            }
        }
    }

    func open(_ person: Int, _ peer: Int, isReader: Bool = false) throws {
        try perform(.open(person: person, peer: peer, limit: 50, isReader: isReader))
    }

    @discardableResult
    func send(_ id: String, _ text: String, from: Int, to: Int) throws -> ChatOutcome {
        try perform(.message(ChatDraft(id: id, from: from, to: to, text: text)))
    }

    /// Returns the texts of a conversation, with the greetings.
    func texts(_ person: Int, _ peer: Int) throws -> [String] {
        try write { try $0.page(ChatPair(person, peer), before: nil, limit: 1000) }.messages.map(\.text)
    }

    /// Returns the numbers of unread messages of a person by the other person.
    func unread(_ person: Int) throws -> [Int: Int] {
        guard case .inbox(let conversations, _) = try perform(.inbox(person: person)) else { return [:] }
        return Dictionary(uniqueKeysWithValues: conversations.map { ($0.with, $0.unread) })
    }
}

extension ChatOutcome {
    /// The code with which the operation was refused.
    var refusal: String? { if case .refused(let refusal) = self { refusal.code } else { nil } }

    var isNewMessage: Bool? { if case .message(_, let isNew) = self { isNew } else { nil } }

    var page: ChatPage? {
        switch self {
        case .page(let page), .opened(let page, _): page
        default: nil
        }
    }

    var found: [String]? { if case .found(let messages) = self { messages.map(\.text) } else { nil } }
}
