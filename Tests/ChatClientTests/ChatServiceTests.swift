import Basics
import ChatCore
import ChatServer
import Foundation
import GLibKit
import HTTPFront
import Hummingbird
import Logging
import NIOCore
import ServerStore
import SignalingServer
import Synchronization
import Testing
import UserStore

@testable import ChatClient

@Suite("The client of a chat server", .timeLimit(.minutes(4)))
struct ChatServiceTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs a server with a service, and a client of it.
    private func serve(
        _ service: any WebService,
        token: String? = nil,
        _ body: (HTTPChatService) async throws -> Void
    ) async throws {
        var server = ServerConfiguration()
        server.port = 0
        try await SignalingServer.run(server, services: [service], logger: Self.logger) { listening in
            let chat = HTTPChatService(listening.url) { () async throws(ChatError) -> String? in token }
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { await chat.run() }
                try await body(chat)
                group.cancelAll()
            }
        }
    }

    /// Runs a server with a chat, and a client of it, in a folder that is removed afterwards.
    private func serveChat(_ body: (HTTPChatService, String) async throws -> Void) async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "chat-\(UUID())").path()
        defer { try? FileManager.default.removeItem(atPath: root) }
        let database = try await ServerDatabase.open(ServerFolder(root), ChatSchema.migrations)
        var configuration = ChatConfiguration(mediaFolder: "\(root)/media")
        configuration.hub.replyDelay = .zero ... .zero
        let service = try await ChatWebService(
            configuration,
            NoAccounts(),
            database,
            logger: Self.logger
        )
        try await serve(service) { try await body($0, root) }
    }

    private func events(_ connection: any ChatConnection) async -> [ChatConnectionEvent] {
        var events: [ChatConnectionEvent] = []
        for await event in connection.events { events.append(event) }
        return events
    }

    // MARK: A server of callrunner

    @Test("People are listed, and the server is recognized as extended")
    func people() async throws {
        try await serveChat { chat, _ in
            let people = try await chat.people(as: 20)
            #expect(people.map(\.id) == Array(1...15) && people[0].isOnline)
            let isExtended = try await chat.isExtended()
            #expect(isExtended)
        }
    }

    @Test("A sent message is stored, and a simulated person who is online replies")
    func conversation() async throws {
        try await serveChat { chat, root in
            let archive = ChatArchive(
                "test",
                own: 101,
                folder: PrivateFolder("\(root)/client")
            ) { Issue.record("\($0)") }
            let conversation = Conversation(own: 101, name: nil, peer: 2, chat, archive)
            await withDiscardingTaskGroup { group in
                group.addTask { await conversation.run() }
                for await state in conversation.state.states where state.link == .open { break }
                conversation.send(
                    .send(id: "a", text: "hi", media: nil, replyTo: nil, at: ChatTime(microseconds: 0))
                )
                for await state in conversation.state.states where state.items.count == 4 { break }
                conversation.finish()
            }
            let state = conversation.state.state
            #expect(state.mode == .extended && state.link == .closed && state.isPeerOnline == true)
            #expect(state.items.map(\.isMine) == [false, true, true, false])
            #expect(state.items[2].key == "a" && state.items[3].message.isAutomatic)
            let kept = await archive.conversation(with: 2)
            #expect(kept.messages.count == 4 && kept.outbox.isEmpty)
        }
    }

    @Test("The inbox reports new messages and the number of unread ones")
    func inbox() async throws {
        try await serveChat { chat, _ in
            let inbox = Inbox(own: 102, chat)
            await withDiscardingTaskGroup { group in
                group.addTask { await inbox.run() }
                for await state in inbox.state.states where state.link == .open { break }
                let connection = chat.connect(101, with: 102)
                group.addTask {
                    for await event in connection.events where event == .opened {
                        let request = ChatRequest.message(id: "a", text: "hi", media: nil, replyTo: nil)
                        connection.send(ChatRequest.Envelope(request).text)
                    }
                }
                for await state in inbox.state.states where state.unread > 0 { break }
                connection.close()
                inbox.finish()
            }
            #expect(inbox.state.state[with: 101]?.last?.text == "hi")
        }
    }

    @Test("An uploaded file can be downloaded to a new file, and only by the two people of the conversation")
    func media() async throws {
        try await serveChat { chat, root in
            let (file, copy) = ("\(root)/file", "\(root)/copy")
            let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
            try bytes.write(to: URL(fileURLWithPath: file))
            let media = try await chat.upload(file, as: 101)
            #expect(media.bytes == bytes.count && media.kind == .file)
            try await chat.download(media, as: 101, to: copy)
            #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == bytes)
            await #expect(throws: ChatError.refused(code: "not_saved", message: "\(copy) exists already")) {
                try await chat.download(media, as: 101, to: copy)
            }
            let gone = ChatError.refused(code: "no_media", message: "the chat server no longer has this file")
            await #expect(throws: gone) {
                try await chat.download(media, as: 103, to: "\(root)/other")
            }
            #expect(FileStatus(path: "\(root)/other") == nil)
        }
    }

    @Test("A file that is empty, missing or larger than 20 MB is not sent")
    func badFiles() async throws {
        try await serve(OddService()) { chat in
            let path = FileManager.default.temporaryDirectory.appending(path: "file-\(UUID())").path()
            defer { try? FileManager.default.removeItem(atPath: path) }
            func code(_ path: String) async -> String? {
                do throws(ChatError) {
                    _ = try await chat.upload(path, as: 101)
                    return nil
                } catch {
                    guard case .refused(let code, _) = error else { return "\(error)" }
                    return code
                }
            }
            #expect(await code(path) == "file")
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(await code(path) == "file")
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.truncate(atOffset: 20_000_001)
            try handle.close()
            #expect(await code(path) == "file")
            #expect(await code("/tmp") == "file")
        }
    }

    // MARK: Other servers

    @Test("A request fails on an error status or a redirect", arguments: [302, 401, 404, 500])
    func statuses(_ status: Int) async throws {
        let odd = OddService { _ in
            Response(status: .init(code: status), headers: [.location: "/elsewhere"])
        }
        try await serve(odd, token: "secret") { chat in
            await #expect(throws: ChatError.status(status)) { try await chat.people(as: 20) }
            let isExtended = try await chat.isExtended()
            #expect(!isExtended)
        }
        let requests = odd.requests.withLock(\.self)
        #expect(requests == ["GET /api/users?userId=20 Bearer secret", "GET /ws/chat Bearer secret"])
    }

    @Test(
        "A list that is not an array of people is an error",
        arguments: ["", "{}", "[{}]", "[1]", "<html>"]
    )
    func badLists(_ body: String) async throws {
        let odd = OddService { _ in
            Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
        }
        try await serve(odd) { chat in
            let error = await #expect(throws: ChatError.self) { _ = try await chat.people(as: 20) }
            guard case .decodingFailed = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("A list of people that exceeds the size limit is reported as a network error")
    func largeList() async throws {
        let odd = OddService { _ in
            Response(
                status: .ok,
                body: ResponseBody(byteBuffer: ByteBuffer(repeating: 0x20, count: 5 << 20))
            )
        }
        try await serve(odd) { chat in
            let error = await #expect(throws: ChatError.self) { _ = try await chat.people(as: 20) }
            guard case .network = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("Text and binary frames are handled alike, and the server's close code is in the last event")
    func frames() async throws {
        try await serve(OddService([.text("one"), .binary("two"), .close(1000)])) { chat in
            let events = await events(chat.connect(101, with: 2))
            #expect(events.prefix(3) == [.opened, .frame("one"), .frame("two")] && events.count == 4)
            guard case .lost(_, code: 1000)? = events.last else {
                Issue.record("\(events)")
                return
            }
        }
    }

    @Test("The WebSocket URL names the people and the protocol version, and a header field has the token")
    func address() async throws {
        let odd = OddService([.close(1008)])
        try await serve(odd, token: "secret") { chat in
            _ = await events(chat.connect(101, with: 2))
            _ = await events(chat.connect(101, with: nil))
        }
        #expect(
            odd.requests.withLock(\.self) == [
                "GET /ws/chat?userId=101&withId=2&v=2 Bearer secret",
                "GET /ws/chat?userId=101&v=2 Bearer secret",
            ]
        )
    }

    @Test("A refused WebSocket is reported as lost with its HTTP status")
    func refused() async throws {
        try await serve(OddService { _ in Response(status: .unauthorized) }) { chat in
            let events = await events(chat.connect(101, with: 2))
            #expect(events == [.lost(.status(401), code: nil)])
        }
    }

    @Test("Texts are sent in order, and those sent before the connection is open are lost")
    func sending() async throws {
        try await serve(OddService([.text("hello")])) { chat in
            let connection = chat.connect(101, with: 2)
            connection.send("lost")
            var frames: [String] = []
            for await event in connection.events {
                guard case .frame(let frame) = event else { continue }
                frames.append(frame)
                if frame == "hello" { for text in ["1", "2", "3"] { connection.send(text) } }
                if frames.count == 4 { connection.close() }
            }
            #expect(frames == ["hello", "echo 1", "echo 2", "echo 3"])
        }
    }

    @Test("An unreachable server is a network error, and a connection can be closed before it is open")
    func unreachable() async throws {
        let chat = HTTPChatService("http://127.0.0.1:1")
        await withDiscardingTaskGroup { group in
            group.addTask { await chat.run() }
            let error = await #expect(throws: ChatError.self) { _ = try await chat.people(as: 20) }
            guard case .network = error else {
                Issue.record("\(String(describing: error))")
                return group.cancelAll()
            }
            let connection = chat.connect(101, with: 2)
            connection.close()
            let events = await events(connection)
            #expect(events.count == 1)
            group.cancelAll()
        }
    }

    @Test("If the credentials cannot be read, the connection ends with their error")
    func credentials() async throws {
        let chat = HTTPChatService("http://127.0.0.1:1") { () async throws(ChatError) -> String? in
            throw .status(401)
        }
        await withDiscardingTaskGroup { group in
            group.addTask { await chat.run() }
            let events = await events(chat.connect(101, with: 2))
            #expect(events == [.lost(.status(401), code: nil)])
            group.cancelAll()
        }
    }
}
