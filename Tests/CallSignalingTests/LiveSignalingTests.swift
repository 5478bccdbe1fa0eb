import CallCore
import CallSignaling
import Logging
import SignalingServer
import Testing

@Suite("Signaling over a live server", .timeLimit(.minutes(4)))
struct LiveSignalingTests {
    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private static func identity(_ name: String) throws -> Identity {
        Identity(username: try Username(name), room: try RoomID(1))
    }

    private static func service(_ url: String, serverTimeout: Duration = .seconds(50)) -> LiveSignalingService
    {
        var configuration = SignalingConfiguration(serverURL: url)
        configuration.serverTimeout = serverTimeout
        configuration.roomStateTimeout = serverTimeout
        return LiveSignalingService(configuration, logger: quiet)
    }

    /// Runs a server, and calls `body` with its URL.
    private static func serving(
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (String) async throws -> Void
    ) async throws {
        var configuration = ServerConfiguration()
        configuration.port = 0
        change(&configuration)
        try await SignalingServer.run(configuration, logger: quiet) { try await body($0.url) }
    }

    /// Joins the room, and calls `body` once the server has reported who is in the room.
    private static func joined(
        _ url: String,
        _ name: String,
        _ role: Role,
        with peers: [Participant] = [],
        _ body: @Sendable (any SignalingChannel) async throws -> Void
    ) async throws {
        try await service(url).withRoom(identity(name), role: role) { channel in
            #expect(await channel.events.next() == .joined(url: url, transport: "websocket"))
            for peer in peers { #expect(await channel.events.next() == .peerJoined(peer)) }
            #expect(await channel.events.next() == .roomState(peers))
            try await body(channel)
        }
    }

    private static let ann = Participant(username: "Ann", role: .caller)
    private static let bob = Participant(username: "Bob", role: .callee)

    @Test("Two peers see each other join, exchange messages and leave", arguments: [false, true])
    func conversation(_ stringPayloads: Bool) async throws {
        try await Self.serving({ $0.stringPayloads = stringPayloads }) { url in
            try await Self.joined(url, "Ann", .caller) { ann in
                try await Self.joined(url, "Bob", .callee, with: [Self.ann]) { bob in
                    #expect(await ann.events.next() == .peerJoined(Self.bob))
                    for message in Self.messages {
                        await ann.send(message)
                        #expect(await bob.events.next() == .message(message, from: message.sender("Ann")))
                        await bob.send(message)
                        #expect(await ann.events.next() == .message(message, from: message.sender("Bob")))
                    }
                }
                #expect(await ann.events.next() == .peerLeft(Self.bob))
            }
        }
    }

    @Test("In a room of three, a message to one participant does not reach the third participant")
    func addressed() async throws {
        try await Self.serving({ $0.openRooms = true }) { url in
            try await Self.joined(url, "Bob", .callee) { bob in
                try await Self.joined(url, "Carl", .callee, with: [Self.bob]) { carl in
                    try await Self.joined(
                        url,
                        "Ann",
                        .caller,
                        with: [Self.bob, Participant(username: "Carl", role: .callee)]
                    ) { ann in
                        await ann.send(.offer(.init("v=0")), to: "Bob")
                        await ann.send(.ringing(offerID: "u"))
                        #expect(await carl.events.next() == .peerJoined(Self.ann))
                        #expect(await carl.events.next() == .message(.ringing(offerID: "u"), from: "Ann"))
                    }
                }
            }
        }
    }

    private static let messages: [SignalMessage] = [
        .offer(.init("v=0\r\n")), .ringing(offerID: "u"), .answer(.init("v=0\r\n"), offerID: "u"),
        .candidate(
            ICECandidate(candidate: "candidate:1", sdpMid: "0", sdpMLineIndex: 0, usernameFragment: "u")
        ),
        .hangup(offerID: "u", reason: "declined"),
    ]

    @Test("A rejoin is reported to the others as a leave and a join")
    func rejoining() async throws {
        try await Self.serving { url in
            try await Self.joined(url, "Ann", .caller) { ann in
                try await Self.joined(url, "Bob", .callee, with: [Self.ann]) { bob in
                    #expect(await ann.events.next() == .peerJoined(Self.bob))
                    await bob.rejoin()
                    #expect(await ann.events.next() == .peerLeft(Self.bob))
                    #expect(await ann.events.next() == .peerJoined(Self.bob))
                    #expect(await bob.events.next() == .rejoining)
                    #expect(await bob.events.next() == .joined(url: url, transport: "websocket"))
                }
            }
        }
    }

    @Test("A message sent during a rejoin is delivered after the rejoin")
    func messagesWhileDisconnected() async throws {
        try await Self.serving { url in
            try await Self.joined(url, "Ann", .caller) { ann in
                try await Self.joined(url, "Bob", .callee, with: [Self.ann]) { bob in
                    await bob.rejoin()
                    await bob.send(.ringing(offerID: nil))
                    var last = await ann.events.next()
                    while let event = last, event != .message(.ringing(offerID: nil), from: "Bob") {
                        last = await ann.events.next()
                    }
                    #expect(last != nil)
                }
            }
        }
    }

    @Test("A client that reads events too slowly is disconnected and gets a failure with the reason")
    func flooded() async throws {
        try await Self.serving { url in
            try await Self.joined(url, "Ann", .caller) { ann in
                try await Self.joined(url, "Bob", .callee, with: [Self.ann]) { bob in
                    for _ in 0..<1100 { await bob.send(.ringing(offerID: nil)) }
                    #expect(await bob.events.next() == .peerLeft(Self.ann))
                    var last: RoomEvent?
                    for await event in ann.events { last = event }
                    #expect(last == .failed(.badEvent("the server sent more events than could be read")))
                }
            }
        }
    }

    @Test("Joining is refused if the role is taken or the room is full")
    func refused() async throws {
        try await Self.serving { url in
            try await Self.joined(url, "Ann", .caller) { _ in
                try await Self.expectFailure(.roleTaken, joining: url, "Cid", .caller)
                try await Self.joined(url, "Bob", .callee, with: [Self.ann]) { _ in
                    try await Self.expectFailure(.roomFull, joining: url, "Cid", .caller)
                }
            }
        }
    }

    private static func expectFailure(
        _ failure: SignalingFailure,
        joining url: String,
        _ name: String,
        _ role: Role
    ) async throws {
        try await service(url).withRoom(identity(name), role: role) { channel in
            #expect(await channel.events.next() == .failed(failure))
            #expect(await channel.events.next() == nil)
        }
    }

    @Test("An unreachable server is reported after the server timeout")
    func unreachable() async throws {
        let url = "http://127.0.0.1:1"
        let service = Self.service(url, serverTimeout: .milliseconds(100))
        try await service.withRoom(Self.identity("Ann"), role: .caller) { channel in
            guard case .failed(.unreachable(url: url, _)) = await channel.events.next() else {
                Issue.record("not unreachable")
                return
            }
            #expect(await channel.events.next() == nil)
        }
    }

    @Test("An invalid server URL is reported at once, and messages are dropped")
    func invalidURL() async throws {
        try await Self.service("nowhere").withRoom(Self.identity("Ann"), role: .caller) { channel in
            guard case .failed(.unreachable(url: "nowhere", _)) = await channel.events.next() else {
                Issue.record("not unreachable")
                return
            }
            await channel.send(.ringing(offerID: nil))
            await channel.rejoin()
        }
    }

    @Test("After a restart of the server, the client joins the room again")
    func restart() async throws {
        // Other tests use ephemeral ports; a lower port is probably still free for the restarted server.
        let port = Int.random(in: 20_000..<32_000)
        let (listening, listens) = AsyncStream.makeStream(of: Void.self)
        let (joinings, joining) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await Self.serving({ $0.port = port }) { _ in
                    listens.yield()
                    await joinings.next()
                }
            }
            await listening.next()
            group.addTask {
                try await Self.joined("http://127.0.0.1:\(port)", "Ann", .caller) { ann in
                    joining.yield()
                    guard case .disconnected = await ann.events.next() else {
                        Issue.record("the server's end went unnoticed")
                        return
                    }
                    #expect(
                        await ann.events.next()
                            == .joined(url: "http://127.0.0.1:\(port)", transport: "websocket")
                    )
                }
            }
            try await group.next()
            try await Self.serving({ $0.port = port }) { _ in try await group.next() }
        }
    }
}

extension AsyncStream where Element: Sendable {
    /// Waits for the next element; nil if the stream has finished.
    func next() async -> Element? {
        for await element in self { return element }
        return nil
    }
}

extension SignalMessage {
    /// Returns the expected sender of this message: `name`, or nil for a candidate.
    fileprivate func sender(_ name: String) -> String? {
        if case .candidate = self { nil } else { name }
    }
}
