import Basics
import CallTesting
import ChatCore
import LiveCore
import Synchronization
import Testing

@testable import AppFlow

@Suite("The chat in the app", .timeLimit(.minutes(4)))
@MainActor
struct ChatFlowTests {
    private typealias State = ChatsViewModel.State

    private nonisolated static let bob = ChatDriver.bob
    private nonisolated static let eve = ChatPerson(id: 3, name: "Eve")

    private func flow<Value: Sendable>(
        _ chat: FakeChat = FakeChat(),
        _ body: @escaping @Sendable (ChatDriver) async -> Value
    ) async throws -> Value {
        chat.state.withLock {
            if case .success([]) = $0.people { $0.people = .success([Self.eve, Self.bob]) }
        }
        return try await ChatDriver.run(chat, body)
    }

    private nonisolated static func message(_ id: String, _ text: String, from: Int, to: Int) -> ChatMessage {
        var message = ChatMessage(from: "\(from)", to: "\(to)", text: text, time: ChatTime(microseconds: 1))
        (message.id, message.fromID, message.toID) = (id, from, to)
        return message
    }

    @Test("The people are fetched at the start, and those who are online come first")
    func people() async throws {
        let state = try await flow { await $0.until { $0.people != nil } }
        #expect(state.people == [Self.bob, Self.eve])
        #expect(state.own == FakeChat.own.id && !state.isLoading && state.failure == nil)
    }

    @Test("The chat presents the user under the current name, or as a guest if the user has no name")
    func writer() async throws {
        let (first, renamed) = try await flow { driver in
            let first = await driver.until { $0.writer != nil }.writer
            await driver.flow.use(ChatUser(id: FakeChat.own.id, name: "Anna"))
            return (first, await driver.until { $0.writer == .user("Anna") }.writer)
        }
        #expect(first == .user("Ann") && renamed == .user("Anna"))
        #expect(State.init().writer == nil)
        #expect(ChatsViewModel.Writer(ChatUser(id: 57, name: "57")) == .guest(57))
    }

    @Test("A failure to fetch the people is reported, and cleared by the next successful fetch")
    func failure() async throws {
        let chat = FakeChat()
        chat.state.withLock { $0.people = .failure(.network("refused")) }
        let (failed, fetched) = try await flow(chat) { driver in
            let failed = await driver.until { $0.failure != nil }
            chat.state.withLock { $0.people = .success([Self.bob]) }
            driver.model.send(.refresh)
            return (failed, await driver.until { $0.people != nil })
        }
        #expect(failed.failure == .network("refused") && failed.people == nil && !failed.isLoading)
        #expect(fetched.failure == nil && fetched.people == [Self.bob])
    }

    @Test("A server without a chat is reported as not supported")
    func noChat() async throws {
        let state = try await flow { driver in
            await driver.until { $0.people != nil }
            await MainActor.run { driver.settings.send(.setServer("https://no.chat")) }
            await MainActor.run { driver.settings.send(.commit) }
            return await driver.until { $0.own == nil && $0.failure != nil }
        }
        #expect(state.failure == .notSupported)
    }

    @Test("An open conversation sends one read mark for each message of the other person")
    func history() async throws {
        let frames = try await flow { driver in
            let connection = await driver.talk([Self.message("a", "hi", from: 2, to: 1000)])
            connection.tell(.message(Self.message("b", "there?", from: 2, to: 1000)))
            _ = await connection.frames(2)
            connection.tell(.typing(from: 2))
            await driver.until { $0.chat?.conversation.isPeerTyping ?? false }
            return connection.sent.state
        }
        let reads = ["a", "b"].map { ChatRequest.Envelope(.read(id: $0)).text }
        #expect(frames == reads)
    }

    @Test("Sending clears the input field, and the message is shown as stored once the server confirms it")
    func sending() async throws {
        let (frames, sending, stored) = try await flow { driver in
            let connection = await driver.talk()
            driver.model.send(.setDraft("  hello  "))
            driver.model.send(.send)
            let sending = await driver.until { $0.chat?.conversation.items.isEmpty == false }
            let frames = await connection.frames(2)
            let key = sending.chat?.conversation.items.first?.key ?? ""
            connection.tell(.message(Self.message(key, "hello", from: 1000, to: 2)))
            let stored = await driver.until { $0.chat?.conversation.items.first?.progress == .stored }
            return (frames, sending, stored)
        }
        #expect(frames.contains { $0.contains(#""message":"hello""#) })
        #expect(sending.drafts.isEmpty)
        #expect(stored.chat?.conversation.items.count == 1)
    }

    @Test("Before a conversation is opened, the inbox provides presence and unread counts")
    func inbox() async throws {
        let state = try await flow { driver in
            await driver.until { $0.people != nil }
            driver.chat.inbox.greet()
            let last = Self.message("a", "hi", from: 3, to: 1000)
            driver.chat.inbox.tell(.conversations([ChatConversation(with: 3, last: last, unread: 2)]))
            driver.chat.inbox.tell(.presence(person: 3, isOnline: true))
            driver.chat.inbox.tell(.presence(person: 2, isOnline: false))
            return await driver.until { $0.presence[2] == false && $0.presence[3] == true }
        }
        #expect(state.unread == 1 && state.conversations[3]?.unread == 2)
        #expect(state.listed.map(\.isOnline) == [true, false])
    }

    @Test("The chat does not connect to the app's own server before its screen is shown")
    func notWanted() async throws {
        let chat = FakeChat()
        let result = await Simulation.run { clock in
            let settings = await SettingsViewModel(AppSettings())
            let flow = ChatFlow(services: chat, settings: settings, clock: clock) {
                Timestamp(milliseconds: 0)
            }
            async let done: Void = flow.run()
            await flow.use(ChatUser(id: 1000, name: "Ann"))
            settings.send(.setTheme(.dark))
            let before = chat.state.withLock { $0.users.count }
            await flow.opened()
            for await state in flow.model.store.states where state.own != nil { break }
            await flow.finish()
            await done
            return before
        }
        #expect(result == 0)
    }

    @Test("Leaving the chat closes the connection, and returning connects the conversation again")
    func leaving() async throws {
        let isOpen = try await flow { driver in
            let connection = await driver.talk()
            await driver.flow.left()
            for await isClosed in connection.isClosed.states where isClosed { break }
            await driver.flow.opened()
            let second = await driver.chat.connection(1)
            second.greet([])
            return await driver.until { $0.chat?.conversation.link == .open }.chat?.person.id
        }
        #expect(isOpen == 2)
    }

    @Test("Drafts and muted people survive a restart of the app")
    func preferences() async throws {
        let chat = FakeChat()
        try await flow(chat) { driver in
            _ = await driver.talk()
            driver.model.send(.setDraft("not yet"))
            driver.model.send(.mute(true))
        }
        #expect(chat.state.withLock { $0.preferences.drafts } == [2: "not yet"])
        let state = try await flow(chat) { await $0.until { $0.own != nil } }
        #expect(state.drafts == [2: "not yet"] && state.muted == [2])
    }

    @Test("A draft is stored within a second after typing")
    func keptSoon() async throws {
        let chat = FakeChat()
        let kept = try await flow(chat) { driver in
            _ = await driver.talk()
            driver.model.send(.setDraft("not yet"))
            try? await driver.clock.sleep(for: .seconds(1))
            return chat.state.withLock { $0.preferences.drafts }
        }
        #expect(kept == [2: "not yet"])
    }

    @Test("Blocking a person sends a request through the inbox, and the confirmed block is shown")
    func blocking() async throws {
        let (frames, state) = try await flow { driver in
            _ = await driver.talk()
            driver.chat.inbox.greet()
            driver.chat.inbox.tell(.conversations([]))
            driver.model.send(.person(.show))
            driver.model.send(.person(.askToBlock))
            // The inbox must be open.
            driver.chat.inbox.tell(.presence(person: 3, isOnline: true))
            await driver.until { $0.presence[3] == true }
            driver.model.send(.person(.block))
            let frames = await driver.chat.inbox.frames(1)
            driver.chat.inbox.tell(.blocked([2]))
            return (frames, await driver.until { $0.blocked == [2] })
        }
        #expect(frames == [ChatRequest.Envelope(.block(person: 2), with: 2).text])
        #expect(state.chat?.sheet == nil)
    }

    @Test("A search is sent through the inbox, and sent again if the server is busy")
    func search() async throws {
        let (frames, found) = try await flow { driver in
            await driver.until { $0.people != nil }
            driver.chat.inbox.greet()
            driver.chat.inbox.tell(.conversations([]))
            driver.model.send(.setFilter("tea"))
            _ = await driver.chat.inbox.frames(1)
            driver.chat.inbox.tell(.error(code: "busy", message: "wait", reference: nil))
            let frames = await driver.chat.inbox.frames(2)
            driver.chat.inbox.tell(.found(query: "tea", [Self.message("a", "tea", from: 2, to: 1000)]))
            return (frames, await driver.until { $0.search.found != nil }.search.found)
        }
        let frame = ChatRequest.Envelope(.search("tea")).text
        #expect(frames == [frame, frame] && found?.map(\.text) == ["tea"])
    }

    private nonisolated static let pdf = ChatMedia(
        id: "f1",
        url: "/api/media/f1",
        type: "application/pdf",
        bytes: 9
    )

    @Test("A chosen file is stored on the server, and then sent with its name")
    func file() async throws {
        let chat = FakeChat()
        chat.state.withLock { $0.upload = .success(Self.pdf) }
        let (item, frames) = try await flow(chat) { driver in
            let connection = await driver.talk()
            driver.model.send(.file(.choose(FileDialog(title: "", kind: ""))))
            let state = await driver.until { $0.chat?.conversation.items.isEmpty == false }
            return (state.chat?.conversation.items.first, await connection.frames(1))
        }
        #expect(chat.state.withLock { $0.uploads } == ["/home/ann/chosen.pdf"])
        #expect(item?.message.media == Self.pdf && item?.message.text == "chosen.pdf")
        #expect(frames.first?.contains(#""media":{"id":"f1"}"#) ?? false)
    }

    @Test("A failed upload shows the reason, and a retry sends the file")
    func fileRetry() async throws {
        let chat = FakeChat()
        chat.state.withLock { $0.upload = .failure(.network("refused")) }
        let (failed, sent) = try await flow(chat) { driver in
            _ = await driver.talk()
            driver.model.send(.file(.send(path: "/a/b.pdf")))
            let failed = await driver.until { $0.transfers.uploads.first?.failure != nil }
            for await kept in chat.kept.states where kept.files.first?.isNotSent == true { break }
            chat.state.withLock { $0.upload = .success(Self.pdf) }
            driver.model.send(.file(.retry(upload: failed.transfers.uploads[0].id)))
            return (failed, await driver.until { $0.chat?.conversation.items.isEmpty == false })
        }
        #expect(failed.transfers.uploads.first?.failure == .network("refused"))
        #expect(sent.transfers.shown(to: 2).isEmpty)
        #expect(sent.chat?.conversation.items.first?.message.text == "b.pdf")
    }

    @Test("A picture is requested once, even if fetching it failed, and its file can still be saved")
    func picture() async throws {
        let chat = FakeChat()
        let saved = try await flow(chat) { driver in
            _ = await driver.talk()
            driver.model.send(.file(.load(Self.pdf, again: false)))
            driver.model.send(.file(.load(Self.pdf, again: false)))
            await driver.until { $0.transfers.pictures["f1"] == .failed(.notConnected) }
            driver.model.send(.file(.load(Self.pdf, again: false)))
            driver.model.send(.file(.save(Self.pdf, name: "x.pdf")))
            return await driver.until { $0.transfers.savings["f1"] == .saved("/downloads/x.pdf") }
        }
        #expect(chat.state.withLock { $0.pictures } == ["f1"] && saved.chat != nil)
    }

    @Test("After a change of the user, the conversations and drafts of the previous user are gone")
    func otherUser() async throws {
        let (state, users) = try await flow { driver in
            _ = await driver.talk()
            await driver.flow.use(ChatUser(id: 1001, name: "Cid"))
            let state = await driver.until { $0.own == 1001 && $0.people != nil }
            return (state, driver.chat.state.withLock { $0.users })
        }
        #expect(state.chat == nil && state.drafts.isEmpty)
        #expect(users == [nil, ChatUser(id: 1001, name: "Cid")])
    }

    @Test("While the chat switches users, sending and opening have no effect, and drafts remain stored")
    func switching() async throws {
        let chat = FakeChat()
        let (probe, found) = AsyncStream.makeStream(of: Never.self)
        let (waiting, sent) = try await flow(chat) { driver in
            _ = await driver.talk()
            driver.model.send(.setDraft("not yet"))
            chat.state.withLock { $0.probe = probe }
            await driver.flow.use(ChatUser(id: 1001, name: "Cid"))
            let waiting = await driver.until { $0.own == nil }
            driver.model.send(.send)
            driver.model.send(.open(Self.bob))
            found.finish()
            return (waiting, await driver.until { $0.own == 1001 })
        }
        #expect(waiting.own == nil && waiting.writer == nil && waiting.chat == nil && waiting.isLoading)
        #expect(sent.chat == nil)
        #expect(chat.state.withLock { $0.preferences.drafts } == [2: "not yet"])
    }

    @Test("A refused message becomes a draft, and leaves the list when the draft has been stored")
    func returnedText() async throws {
        let chat = FakeChat()
        chat.state.withLock { $0.isDiskFull = true }
        let (full, kept) = try await flow(chat) { driver in
            let connection = await driver.talk()
            driver.model.send(.setDraft("hello"))
            driver.model.send(.send)
            let sending = await driver.until { $0.chat?.conversation.items.isEmpty == false }
            let key = sending.chat?.conversation.items.first?.key ?? ""
            connection.tell(.error(code: "blocked", message: "no", reference: key))
            await driver.until { $0.drafts[2] == "hello" }
            try? await driver.clock.sleep(for: .seconds(1))
            let full = driver.state.chat?.conversation.items.count
            chat.state.withLock { $0.isDiskFull = false }
            driver.model.send(.mute(true))
            await driver.until { $0.chat?.conversation.items.isEmpty == true }
            return (full, chat.state.withLock { $0.preferences.drafts })
        }
        #expect(full == 1 && kept == [2: "hello"])
    }
}
