import Basics
import CallCore
import HTTPFront
import Logging
import SignalingServer
import Testing

@testable import CallSignaling

@Suite("Tokens and TURN credentials between our client and our server", .timeLimit(.minutes(4)))
struct CredentialTests {
    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Joins room 1 as Ann, the caller, and collects the first `count` events.
    private func events(
        token: String?,
        count: Int,
        _ change: (inout ServerConfiguration) -> Void
    ) async throws -> [RoomEvent] {
        var configuration = ServerConfiguration()
        configuration.port = 0
        change(&configuration)
        return try await SignalingServer.run(configuration, logger: Self.quiet) { server in
            var client = SignalingConfiguration(serverURL: server.url)
            client.token = token
            client.serverTimeout = .seconds(50)
            client.roomStateTimeout = .seconds(50)
            let identity = Identity(username: try Username("Ann"), room: try RoomID(1))
            let service = LiveSignalingService(client, logger: Self.quiet)
            return try await service.withRoom(identity, role: .caller) { channel in
                var events: [RoomEvent] = []
                for await event in channel.events {
                    events.append(event)
                    if events.count == count { break }
                }
                return events
            }
        }
    }

    @Test("The client sends its token in the CONNECT payload and gets the reason for a refusal")
    func tokens() async throws {
        let key = try await TokenKey(Array(repeating: 7, count: 32))
        let expiry = 4_102_444_800
        let token = try await key.sign(
            RoomToken(room: try RoomID(1), username: try Username("Ann"), role: .caller, expiry: expiry)
        )
        let admitted = try await events(token: token, count: 2) { $0.tokenKey = key }
        #expect(admitted.last == .roomState([]))
        let refused = try await events(token: nil, count: 1) { $0.tokenKey = key }
        #expect(refused == [.failed(.unauthorized("this server requires a room token"))])
    }

    @Test("The client receives the TURN servers before the list of participants")
    func turn() async throws {
        let turn = TURNCredentials(urls: ["turn:t"], secret: [1], timeToLive: .seconds(60))
        let events = try await events(token: nil, count: 3) { $0.turn = turn }
        guard events.count == 3, case .iceServers(let servers) = events[1] else {
            Issue.record("\(events)")
            return
        }
        let username = try #require(servers.first?.username)
        let credential = turn.credential(for: username)
        var expected = ICEServer(urls: ["turn:t"], username: username, credential: credential)
        expected.namedFrom = .loopback
        #expect(servers == [expected])
    }

    @Test(
        "A server is classed as loopback, private or internet by its socket's address, else by its URL",
        arguments: [
            ("http://turn.example.org", "10.0.0.1", .privateNetwork),
            ("http://example.org", "203.0.113.1", .internet), ("http://localhost:3000", "::1", .loopback),
            ("http://localhost:3000", nil, .loopback), ("http://127.0.0.1:3000", nil, .loopback),
            ("https://192.168.1.2", nil, .privateNetwork), ("https://nas.local", nil, .internet),
            ("https://example.org", nil, .internet), ("nonsense", nil, .internet),
        ] as [(String, String?, HostReach)]
    )
    func places(url: String, address: String?, place: HostReach) {
        #expect(SignalingConfiguration(serverURL: url).place(ofServerAt: address) == place)
    }
}
