import Basics
import CallTesting
import ChatCore
import LiveCore
import Synchronization
import Testing

@testable import AppFlow

@Suite("Messages and errors in the inbox of the app", .timeLimit(.minutes(4)))
@MainActor
struct ChatInboxTests {
    private nonisolated static let bob = ChatDriver.bob
    private nonisolated static let pdf = ChatMedia(
        id: "f1",
        url: "/api/media/f1",
        type: "application/pdf",
        bytes: 9
    )
    private nonisolated static let file = OutgoingFile(id: "k1", path: "/a/b.pdf", peer: 2)
    private nonisolated static let request = ChatRequest.Envelope(
        .message(id: "k1", text: "b.pdf", media: "f1", replyTo: nil),
        with: 2
    ).text

    private func flow<Value: Sendable>(
        _ chat: FakeChat = FakeChat(),
        _ body: @escaping @Sendable (ChatDriver) async -> Value
    ) async throws -> Value {
        chat.state.withLock { state in
            state.people = .success([Self.bob])
            state.upload = .success(Self.pdf)
        }
        return try await ChatDriver.run(chat, body)
    }

    private nonisolated static func stored(_ id: String) -> ChatEvent {
        var message = ChatMessage(from: "Ann", to: "Bob", text: "b.pdf", time: ChatTime(microseconds: 1))
        (message.id, message.fromID, message.toID) = (id, 1000, 2)
        return .message(message)
    }

    @Test(
        "A file of a closed conversation is sent through the inbox; its upload ends when the server has it"
    )
    func leftConversation() async throws {
        let frame = try await flow { driver in
            _ = await driver.talk()
            driver.model.send(.close)
            driver.flow.store.update { state in
                let upload = state.transfers.add("/a/b.pdf", to: 2)
                state.transfers.didUpload(upload?.id ?? 0, Self.pdf)
            }
            driver.openInbox()
            let frame = await driver.chat.inbox.frames(1)[0]
            let sending = await driver.until { $0.transfers.isSending(to: 2) == true }
            driver.chat.inbox.tell(Self.stored(sending.transfers.uploads[0].file.id))
            await driver.until { $0.transfers.uploads.isEmpty }
            return frame
        }
        #expect(frame.contains(#""withId":2"#) && frame.contains(#""media":{"id":"f1"}"#))
    }

    @Test("An upload that was interrupted when the app ended is sent at the next start")
    func nextStart() async throws {
        let chat = FakeChat()
        chat.state.withLock { $0.preferences.files = [Self.file] }
        let frames = try await flow(chat) { driver in
            driver.openInbox()
            let frames = await driver.chat.inbox.frames(1)
            driver.chat.inbox.tell(Self.stored("k1"))
            await driver.until { $0.own != nil && $0.transfers.uploads.isEmpty }
            return frames
        }
        #expect(frames == [Self.request] && chat.state.withLock { $0.uploads } == ["/a/b.pdf"])
        #expect(chat.state.withLock { $0.preferences.files } == [])
    }

    @Test(
        "A file that failed to send is not sent at the next start until the user retries",
        arguments: [nil, ChatInboxTests.pdf] as [ChatMedia?]
    )
    func notSentBefore(media: ChatMedia?) async throws {
        let chat = FakeChat()
        var file = OutgoingFile(id: "k1", path: "/a/b.pdf", peer: 2, media: media)
        file.isNotSent = true
        chat.state.withLock { $0.preferences.files = [file] }
        let (waiting, isSilent, frames) = try await flow(chat) { driver in
            await driver.until { $0.people != nil }
            driver.openInbox()
            try? await driver.clock.sleep(for: .seconds(2))
            let waiting = driver.model.store.state.transfers.uploads
            let isSilent = chat.inbox.sent.state.isEmpty && chat.state.withLock { $0.uploads.isEmpty }
            driver.model.send(.open(Self.bob))
            driver.model.send(.file(.retry(upload: waiting[0].id)))
            return (waiting, isSilent, await chat.inbox.frames(1))
        }
        #expect(waiting.map(\.failure) == [ChatTransfers.notSent])
        #expect(isSilent && frames == [Self.request])
    }

    @Test("A chosen file is stored at once, even while a draft waits to be stored", arguments: [false, true])
    func keptAtOnce(afterDraft: Bool) async throws {
        let span = try await flow { driver in
            _ = await driver.talk()
            let stopwatch = Stopwatch(driver.clock)
            if afterDraft {
                driver.model.send(.setDraft("not yet"))
                for _ in 0..<100 { await Task.yield() }
            }
            driver.model.send(.file(.send(path: "/a/b.pdf")))
            for await kept in driver.chat.kept.states where !kept.files.isEmpty { break }
            return stopwatch.elapsed
        }
        #expect(span == .zero)
    }

    @Test("A sent file stays in the preferences until the server has stored its message")
    func handedOver() async throws {
        let (sending, kept) = try await flow { driver in
            let connection = await driver.talk()
            driver.model.send(.file(.send(path: "/a/b.pdf")))
            let frames = await connection.frames(1)
            try? await driver.clock.sleep(for: .seconds(2))
            let state = driver.model.store.state
            let kept = driver.chat.kept.state.files
            connection.tell(Self.stored(kept.first?.id ?? ""))
            await driver.until { $0.transfers.uploads.isEmpty }
            for await kept in driver.chat.kept.states where kept.files.isEmpty { break }
            #expect(frames.count == 1)
            return (state, kept)
        }
        #expect(kept.map(\.media) == [Self.pdf] && sending.transfers.shown(to: 2).isEmpty)
        #expect(sending.chat?.conversation.items.map(\.key) == kept.map(\.id))
    }

    @Test("A file unconfirmed when its conversation closes is sent again by the inbox with the same ID")
    func takenBack() async throws {
        let (first, second) = try await flow { driver in
            let connection = await driver.talk()
            driver.openInbox()
            driver.model.send(.file(.send(path: "/a/b.pdf")))
            let first = await connection.frames(1)
            driver.model.send(.close)
            let second = await driver.chat.inbox.frames(1)
            return (first.first, second.first)
        }
        let requests = try [first, second].compactMap { try ChatRequest.Envelope($0 ?? "") }
        #expect(requests.map(\.with) == [nil, 2] && Set(requests.map(\.request)).count == 1)
    }

    @Test("A refused file is shown as not sent in its conversation, and is no longer stored for sending")
    func notSentByConversation() async throws {
        let (state, kept) = try await flow { driver in
            let connection = await driver.talk()
            driver.model.send(.file(.send(path: "/a/b.pdf")))
            _ = await connection.frames(1)
            let id = driver.model.store.state.transfers.uploads.first?.file.id
            connection.tell(.error(code: "blocked", message: "no", reference: id))
            // The state and the report of the conversation come one after the other.
            let state = await driver.until { $0.transfers.uploads.isEmpty && $0.chat?.failure != nil }
            for await kept in driver.chat.kept.states where kept.files.isEmpty { break }
            return (state, driver.chat.kept.state.files)
        }
        #expect(kept.isEmpty && state.chat?.failure == .refused(code: "blocked", message: "no"))
    }

    @Test("A file that the server no longer has is uploaded again on a retry")
    func missingFile() async throws {
        let chat = FakeChat()
        var file = Self.file
        file.media = Self.pdf
        chat.state.withLock { $0.preferences.files = [file] }
        let error = ChatError.refused(code: "no_media", message: "gone")
        let failures = try await flow(chat) { driver in
            await driver.until { !$0.transfers.uploads.isEmpty }
            driver.openInbox()
            _ = await chat.inbox.frames(1)
            chat.inbox.tell(.error(code: "no_media", message: "gone", reference: "k1"))
            let first = await driver.until { $0.transfers.uploads[0].failure != nil }.transfers.uploads[0]
            let connection = await driver.talk()
            driver.model.send(.file(.retry(upload: first.id)))
            _ = await connection.frames(1)
            connection.tell(.error(code: "no_media", message: "gone", reference: "k1"))
            let second = await driver.until { $0.transfers.uploads[0].failure != nil }.transfers
            await driver.until { $0.chat?.conversation.items.isEmpty == true }
            driver.model.send(.file(.retry(upload: first.id)))
            _ = await connection.frames(2)
            return [first.failure, second.shown(to: 2).first?.failure]
        }
        #expect(failures == [error, error])
        #expect(chat.state.withLock { $0.uploads } == ["/a/b.pdf", "/a/b.pdf"])
    }

    @Test("A file that is not yet uploaded when the app ends remains stored")
    func kept() async throws {
        let chat = FakeChat()
        let id = try await flow(chat) { driver in
            let state = await driver.until { $0.people != nil }
            driver.flow.store.update { _ = $0.transfers.add("/a/b.pdf", to: 2) }
            return state.own
        }
        #expect(id == 1000 && chat.state.withLock { $0.preferences.files.map(\.path) } == ["/a/b.pdf"])
    }

    @Test("A file's message is sent again if it came too fast, and fails with the reason if it is refused")
    func refused() async throws {
        let chat = FakeChat()
        chat.state.withLock { $0.preferences.files = [Self.file] }
        let (frames, state) = try await flow(chat) { driver in
            driver.openInbox()
            _ = await driver.chat.inbox.frames(1)
            driver.chat.inbox.tell(.error(code: "too_fast", message: "wait", reference: "k1"))
            let frames = await driver.chat.inbox.frames(2)
            driver.chat.inbox.tell(.error(code: "blocked", message: "no", reference: "k1"))
            return (frames, await driver.until { $0.transfers.isSending(to: 2) == false })
        }
        #expect(frames == [Self.request, Self.request])
        #expect(state.transfers.uploads[0].failure == .refused(code: "blocked", message: "no"))
    }

    @Test("If a caller's name is not found within two seconds, the call rings with a guest name")
    func slowName() async throws {
        let chat = FakeChat()
        let (wait, end) = AsyncStream.makeStream(of: Never.self)
        let (event, span) = try await flow(chat) { driver in
            await driver.until { $0.people != nil }
            driver.openInbox()
            chat.state.withLock { $0.peopleWait = wait }
            let stopwatch = Stopwatch(driver.clock)
            driver.chat.inbox.tell(.call(room: 7, from: 77))
            var event: ChatCallEvent?
            for await call in driver.flow.calls.stream {
                event = call
                break
            }
            return (event, stopwatch.elapsed)
        }
        end.finish()
        #expect(event == .rang(room: 7, from: ChatPerson(id: 77, name: "Guest 77", isOnline: true)))
        #expect(span == .seconds(2))
    }

    @Test("While a caller's name is looked up, other events of the inbox are handled")
    func ring() async throws {
        let chat = FakeChat()
        let (wait, found) = AsyncStream.makeStream(of: Never.self)
        let (messages, event) = try await flow(chat) { driver in
            await driver.until { $0.people != nil }
            driver.openInbox()
            chat.state.withLock { $0.peopleWait = wait }
            driver.chat.inbox.tell(.call(room: 7, from: 77))
            driver.model.send(.setFilter("tea"))
            _ = await driver.chat.inbox.frames(1)
            driver.chat.inbox.tell(.found(query: "tea", []))
            let messages = await driver.until { $0.search.found != nil }.search.found
            found.finish()
            var event: ChatCallEvent?
            for await call in driver.flow.calls.stream {
                event = call
                break
            }
            return (messages, event)
        }
        #expect(messages == [])
        #expect(event == .rang(room: 7, from: ChatPerson(id: 77, name: "Guest 77", isOnline: true)))
    }
}

@Suite("The queue of pictures to fetch")
struct PictureQueueTests {
    private func media(_ id: Int) -> ChatMedia {
        ChatMedia(id: "f\(id)", url: "/api/media/f\(id)", type: "image/png", bytes: 1)
    }

    @Test("Pictures are fetched newest first, at most three at the same time")
    func order() {
        let queue = PictureQueue()
        #expect((1...5).map { queue.add(media($0)) } == [true, true, true, false, false])
        #expect((1...5).compactMap { _ in queue.next()?.id } == ["f5", "f4", "f3", "f2", "f1"])
        #expect(queue.next() == nil && queue.add(media(6)))
    }
}
