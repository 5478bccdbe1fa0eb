import Basics
import ChatCore
import GRDB
import Testing

@testable import ChatServer

@Suite("The stored conversations")
struct ChatTablesTests {
    private let store: ChatStore

    init() throws { store = try ChatStore() }

    @Test(
        "On a full disk, new data is refused, but stored messages are confirmed and can be deleted"
    )
    func fullDisk() throws {
        let store = try ChatStore()
        try store.send("a", "stored", from: 20, to: 30)
        func perform(_ operation: ChatOperation) throws -> ChatOutcome {
            try store.queue.write { try ChatTables($0, now: 2_000_000, hasRoom: false).perform(operation) }
        }
        #expect(try perform(.message(ChatDraft(id: "b", from: 20, to: 30, text: "new"))).refusal == "full")
        #expect(
            try perform(.message(ChatDraft(id: "a", from: 20, to: 30, text: "stored"))).isNewMessage == false
        )
        #expect(try perform(.edit(id: "a", text: "longer", person: 20, peer: 30)).refusal == "full")
        #expect(try perform(.delete(id: "a", person: 20, peer: 30)).refusal == nil)
    }

    @Test("Message times are unique and increasing, but follow a clock that is set back by more than an hour")
    func times() {
        var times = MessageTimes(last: 0)
        #expect(times.take(3, at: 1000) == 1000)
        #expect(times.take(1, at: 1000) == 1004)
        #expect(times.take(1, at: 500) == 1006)
        #expect(times.take(1, at: 90_000_000_000) == 90_000_000_000)
        #expect(times.take(1, at: 87_000_000_000) == 90_000_000_002)
        #expect(times.take(1, at: 86_000_000_000) == 86_000_000_000)
    }

    @Test("A new conversation begins with one greeting from each person")
    func greetings() throws {
        try store.open(20, 30)
        try store.open(30, 20)
        let page = try #require(try store.perform(.page(person: 20, peer: 30, before: nil, limit: 50)).page)
        #expect(page.messages.map(\.text) == ["Hi there!", "Hello!"])
        #expect(page.messages.map(\.fromID) == [30, 20])
        #expect(page.messages[0].time < page.messages[1].time)
        #expect(try store.unread(20) == [30: 0] && store.unread(30) == [20: 0])
    }

    @Test("The partners of a person are those with whom there are messages, with their stored names")
    func partners() throws {
        for peer in [1001, 1002] { try store.open(1000, peer) }
        try store.send("a", "hello", from: 1000, to: 1001)
        let partners = try store.queue.write { database in
            try ChatTables(database, now: 0).note("Bob", of: 1001)
            return try ChatTables(database, now: 0).partners(of: 1000)
        }
        #expect(partners == [ChatPerson(id: 1001, name: "Bob")])
    }

    @Test("The messages of a person whose account was deleted stay without the name")
    func deletedAccount() throws {
        try store.open(1000, 1001)
        try store.send("a", "hello", from: 1000, to: 1001)
        let (named, remaining) = try store.queue.write { database in
            let tables = ChatTables(database, now: 0)
            try tables.note("Ann", of: 1000)
            try tables.note("Bob", of: 1001)
            try tables.setBlock(1002, by: 1000, true)
            try tables.addReport(of: 1002, by: 1000, reason: "rude")
            let named = try tables.namedAccounts()
            try tables.forget(1000)
            // This may have been waiting when the account was deleted.
            try tables.note("Ann", of: 1000)
            return (named, try tables.namedAccounts())
        }
        #expect(named == [1000, 1001] && remaining == [1001])
        let operation = ChatOperation.page(person: 1001, peer: 1000, before: nil, limit: 50)
        let page = try #require(try store.perform(operation).page)
        #expect(page.messages.map(\.text) == ["hello"] && page.messages[0].from == "Deleted account")
        #expect(try store.queue.read { try ChatTables($0, now: 0).blocks() }.isEmpty)
        let reports = try store.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM chat_report") }
        #expect(reports == 0)
        #expect(try store.send("b", "are you there?", from: 1001, to: 1000).refusal == "blocked")
    }

    @Test("Messages keep the order in which they were stored, and conversations do not mix")
    func order() throws {
        for number in 0..<5 {
            try store.send(
                "a\(number)",
                "a\(number)",
                from: number.isMultiple(of: 2) ? 20 : 30,
                to: number.isMultiple(of: 2) ? 30 : 20
            )
            try store.send("b\(number)", "b\(number)", from: 20, to: 31)
        }
        #expect(try store.texts(20, 30) == ["a0", "a1", "a2", "a3", "a4"])
        #expect(try store.texts(31, 20) == ["b0", "b1", "b2", "b3", "b4"])
    }

    @Test("A message that is sent again under the same ID keeps its first text and is not duplicated")
    func sameID() throws {
        #expect(try store.send("m", "one", from: 20, to: 30).isNewMessage == true)
        let again = try store.send("m", "two", from: 20, to: 30)
        guard case .message(let message, isNew: false) = again else {
            Issue.record("\(again)")
            return
        }
        #expect(message.text == "one")
        #expect(try store.texts(20, 30) == ["one"])
    }

    @Test("A message ID that belongs to another person or conversation is refused")
    func foreignID() throws {
        try store.send("m", "one", from: 20, to: 30)
        #expect(try store.send("m", "x", from: 30, to: 20).refusal == "id_taken")
        #expect(try store.send("m", "x", from: 20, to: 31).refusal == "id_taken")
        #expect(try store.texts(20, 31) == [])
    }

    @Test("A message to an account requires an existing conversation with that account")
    func unknownAccount() throws {
        #expect(try store.send("m", "x", from: 1000, to: 1001).refusal == "no_person")
        try store.open(1000, 1001)
        #expect(try store.send("m", "x", from: 1000, to: 1001).isNewMessage == true)
    }

    @Test("Messages count as unread until read, answered, deleted or shown by a plain-protocol client")
    func unread() throws {
        for number in 0..<3 { try store.send("m\(number)", "x", from: 20, to: 30) }
        #expect(try store.unread(30) == [20: 3] && store.unread(20) == [30: 0])
        try store.perform(.read(id: "m0", person: 30, peer: 20))
        #expect(try store.unread(30) == [20: 2])
        try store.perform(.delete(id: "m1", person: 20, peer: 30))
        #expect(try store.unread(30) == [20: 1])
        try store.send("a", "y", from: 30, to: 20)
        #expect(try store.unread(30) == [20: 0] && store.unread(20) == [30: 1])
        try store.open(20, 30, isReader: true)
        #expect(try store.unread(20) == [30: 0])
        for number in 0..<1002 { try store.send("n\(number)", "x", from: 20, to: 30) }
        #expect(try store.unread(30) == [20: 999])
    }

    @Test("A read mark never moves back, and must name a message of the conversation")
    func readMarks() throws {
        for number in 0..<3 { try store.send("m\(number)", "x", from: 20, to: 30) }
        #expect(try store.perform(.read(id: "m2", person: 30, peer: 20)) == .read(isNew: true))
        #expect(try store.perform(.read(id: "m1", person: 30, peer: 20)) == .read(isNew: false))
        #expect(try store.unread(30) == [20: 0])
        #expect(try store.perform(.read(id: "m1", person: 31, peer: 20)).refusal == "not_found")
        guard
            case .opened(_, let marks) = try store.perform(
                .open(person: 20, peer: 30, limit: 50, isReader: false)
            )
        else { return }
        #expect(marks.read == "m2" && marks.delivered == "m2")
    }

    @Test("Opening a conversation or the inbox reports waiting messages as delivered, but not a second time")
    func delivery() throws {
        try store.send("m", "x", from: 20, to: 30)
        guard case .inbox(_, let delivered) = try store.perform(.inbox(person: 30)),
            case .inbox(_, let again) = try store.perform(.inbox(person: 30))
        else { return }
        #expect(delivered == [20: "m"] && again == [:])
        try store.send("n", "x", from: 20, to: 30)
        guard
            case .opened(_, let marks) = try store.perform(
                .open(person: 30, peer: 20, limit: 50, isReader: false)
            )
        else { return }
        #expect(marks.newlyDelivered == "n" && marks.newlyRead == nil)
    }

    @Test("Only the sender can edit or delete a message, and a deleted message stays empty")
    func changes() throws {
        try store.send("m", "secret", from: 20, to: 30)
        #expect(try store.perform(.edit(id: "m", text: "x", person: 30, peer: 20)).refusal == "not_yours")
        #expect(try store.perform(.edit(id: "m", text: "x", person: 20, peer: 31)).refusal == "not_found")
        #expect(try store.perform(.edit(id: "m", text: "new", person: 20, peer: 30)) == .edited(text: "new"))
        #expect(try store.write { try $0.message("m") }?.isEdited == true)
        try store.perform(.reaction(id: "m", .like, isAdded: true, person: 30, peer: 20))
        #expect(try store.perform(.delete(id: "m", person: 30, peer: 20)).refusal == "not_yours")
        #expect(try store.perform(.delete(id: "m", person: 20, peer: 30)) == .deleted(file: nil))
        let message = try #require(try store.write { try $0.message("m") })
        #expect(message.text == "" && message.isDeleted && message.reactions == [:])
        #expect(try store.perform(.edit(id: "m", text: "x", person: 20, peer: 30)).refusal == "deleted")
        #expect(
            try store.perform(.reaction(id: "m", .like, isAdded: true, person: 30, peer: 20)).refusal
                == "deleted"
        )
        #expect(try store.perform(.search(person: 20, query: "secret")).found == [])
    }

    @Test("A person can add each reaction to a message once, and remove only their own")
    func reactions() throws {
        try store.send("m", "x", from: 20, to: 30)
        for (reaction, isAdded, person) in [
            (ChatReaction.like, true, 20), (.like, true, 20), (.like, true, 30), (.wow, true, 30),
            (.like, false, 20), (.sad, false, 20),
        ] {
            try store.perform(
                .reaction(id: "m", reaction, isAdded: isAdded, person: person, peer: 50 - person)
            )
        }
        #expect(try store.write { try $0.message("m") }?.reactions == [.like: [30], .wow: [30]])
        let foreign = ChatOperation.reaction(id: "m", .like, isAdded: true, person: 31, peer: 20)
        #expect(try store.perform(foreign).refusal == "not_found")
    }

    @Test("A reply must refer to a message of the same conversation")
    func answers() throws {
        try store.send("m", "x", from: 20, to: 30)
        var draft = ChatDraft(id: "n", from: 20, to: 31, text: "y")
        draft.replyTo = "m"
        #expect(try store.perform(.message(draft)).refusal == "not_found")
        draft.recipient = 30
        #expect(try store.perform(.message(draft)).isNewMessage == true)
        #expect(try store.write { try $0.message("n") }?.replyTo == "m")
    }

    @Test("Paging back from the newest message returns every message")
    func pages() throws {
        for number in 0..<25 { try store.send("m\(number)", "\(number)", from: 20, to: 30) }
        var (before, texts): (String?, [String]) = (nil, [])
        while true {
            let page = try #require(
                try store.perform(.page(person: 30, peer: 20, before: before, limit: 10)).page
            )
            texts = page.messages.map(\.text) + texts
            before = page.messages.first?.id
            guard page.hasMore else { break }
            #expect(page.messages.count == 10)
        }
        #expect(texts == (0..<25).map { "\($0)" })
        let foreign = ChatOperation.page(person: 31, peer: 20, before: "m1", limit: 10)
        #expect(try store.perform(foreign).refusal == "not_found")
    }

    @Test(
        "If the JSON of messages is long, a page contains fewer of them, but at least one",
        arguments: [("ж", 25), ("\u{1}", 8), ("\"", 25)]
    )
    func longPages(character: String, most: Int) throws {
        let text = String(repeating: character, count: 4000)
        for number in 0..<100 { try store.send("m\(number)", text, from: 20, to: 30) }
        let page = try #require(try store.perform(.page(person: 20, peer: 30, before: nil, limit: 100)).page)
        #expect((1...most).contains(page.messages.count) && page.hasMore)
        #expect(page.messages.last?.id == "m99")
        guard case .inbox(let conversations, _) = try store.perform(.inbox(person: 20)) else { return }
        #expect(conversations.first?.last?.text.count == 120)
    }

    @Test("A search matches the beginnings of words in one's own conversations, newest first")
    func search() throws {
        try store.send("a", "Привіт, як справи?", from: 20, to: 30)
        try store.send("b", "привітання з Києва", from: 30, to: 20)
        try store.send("c", "привіт від чужих", from: 31, to: 32)
        try store.send("d", "Café au lait", from: 20, to: 31)
        #expect(
            try store.perform(.search(person: 20, query: "ПРИВ")).found == [
                "привітання з Києва", "Привіт, як справи?",
            ]
        )
        #expect(try store.perform(.search(person: 20, query: "cafe lai")).found == ["Café au lait"])
        #expect(try store.perform(.search(person: 30, query: "cafe")).found == [])
        try store.perform(.edit(id: "a", text: "Добрий день", person: 20, peer: 30))
        #expect(try store.perform(.search(person: 20, query: "справи")).found == [])
        #expect(try store.perform(.search(person: 20, query: "день")).found == ["Добрий день"])
    }

    @Test(
        "Query syntax in a search text is treated as plain words",
        arguments: [
            "\"", "*", "a OR", "NEAR(a b)", "text:a", "-a", "a\" OR \"b", "^a", "(", "а*б", "' OR 1=1 --",
            " ", "\u{0}",
            "🙂", "{a b}: c",
        ]
    )
    func hostileQueries(query: String) throws {
        try store.send("m", "nothing of that", from: 20, to: 30)
        #expect(try store.perform(.search(person: 31, query: query)).found == [])
    }

    @Test("Blocks are stored and can be removed, and a report is accepted")
    func blocks() throws {
        try store.perform(.block(person: 20, blocked: 30, isBlocked: true))
        try store.perform(.block(person: 20, blocked: 30, isBlocked: true))
        try store.perform(.block(person: 21, blocked: 30, isBlocked: true))
        try store.perform(.report(person: 20, reported: 30, reason: "rude"))
        #expect(try store.write { try $0.blocks() } == [20: [30], 21: [30]])
        try store.perform(.block(person: 20, blocked: 30, isBlocked: false))
        #expect(try store.write { try $0.blocks() } == [21: [30]])
    }

    @Test("A changed name applies to earlier messages, and a person without a name is shown by ID")
    func names() throws {
        try store.perform(.name([20: "Ann"]))
        try store.send("m", "x", from: 20, to: 30)
        try store.perform(.name([20: "Anna"]))
        let message = try #require(try store.write { try $0.message("m") })
        #expect(message.from == "Anna" && message.to == "30")
    }

    @Test("Random operations with random IDs never fail", arguments: 0..<4)
    func randomOperations(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let texts = ["", "a", "\"", "Ж\u{301}", "\u{FFFD}", "* OR", String(repeating: "🙂", count: 4000)]
        for _ in 0..<300 {
            func number() -> Int { [1, 2, 999, 1000, .max].randomElement(using: &random) ?? 1 }
            func id() -> String { "m\(Int.random(in: 0..<20, using: &random))" }
            let (person, peer, text) = (number(), number(), texts.randomElement(using: &random) ?? "")
            let isOn = Bool.random(using: &random)
            var draft = ChatDraft(id: id(), from: person, to: peer, text: text)
            (draft.replyTo, draft.media) = (isOn ? id() : nil, isOn ? id() : nil)
            let operations: [ChatOperation] = [
                .open(person: person, peer: peer, limit: 100, isReader: isOn), .inbox(person: person),
                .page(person: person, peer: peer, before: isOn ? id() : nil, limit: 100), .message(draft),
                .edit(id: id(), text: text, person: person, peer: peer),
                .delete(id: id(), person: person, peer: peer),
                .reaction(id: id(), .like, isAdded: isOn, person: person, peer: peer),
                .read(id: id(), person: person, peer: peer), .search(person: person, query: text),
                .block(person: person, blocked: peer, isBlocked: isOn), .name([person: text]),
            ]
            for operation in operations.shuffled(using: &random).prefix(3) where person != peer {
                try store.perform(operation)
            }
        }
    }
}
