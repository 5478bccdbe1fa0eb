import CallCore
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Returning to a role whose member may have lost its connection")
struct SeatReturnTests {
    private func with(
        _ configure: (inout ServerConfiguration) throws -> Void = { _ in },
        _ body: (EngineBench) throws -> Void
    ) throws {
        let configureAll = { (configuration: inout ServerConfiguration) in
            configuration.isConformanceServer = false
            configuration.grace = .seconds(600)
            try configure(&configuration)
        }
        try EngineBench.with(configureAll, body)
    }

    private static func query(_ name: String, _ isCaller: Bool) -> String {
        "&roomId=1&username=\(name)&isCaller=\(isCaller)"
    }

    /// Connects a client and sends its join, without reading the reply.
    private func come(_ bench: EngineBench, _ name: String, _ isCaller: Bool, auth: String = "") throws
        -> BenchSocket
    {
        let query = Self.query(name, isCaller)
        let (socket, _) = try BenchSocket.open(bench, path: "/socket.io/", query: query)
        try socket.send("40\(auth)")
        return socket
    }

    private func join(_ bench: EngineBench, _ name: String, _ isCaller: Bool, auth: String = "") throws
        -> BenchSocket
    {
        let socket = try come(bench, name, isCaller, auth: auth)
        try #require(try socket.texts().first?.hasPrefix("40{") == true)
        return socket
    }

    private static let joined = #"42["room_user_joined",{"username":"Bob","roomId":1,"isCaller":false}]"#
    private static let left = #"42["room_user_left",{"username":"Bob","isCaller":false}]"#

    @Test("A second join for a role is refused if the role's member answers the ping")
    func alive() throws {
        try with { bench in
            let bob = try join(bench, "Bob", false)
            let second = try come(bench, "Bob", false)
            #expect(try bob.texts() == ["2"])
            #expect(try second.texts() == [])
            try bob.send("3")
            #expect(try second.texts() == [#"44{"message":"role_taken"}"#])
            bench.advance(by: .seconds(2))
            #expect(!bob.line.isClosed)
        }
    }

    @Test("A member that does not answer the ping within 1 s is replaced, and its peer receives one join")
    func silent() throws {
        try with { bench in
            let ann = try join(bench, "Ann", true)
            let bob = try join(bench, "Bob", false)
            _ = try ann.texts()
            let second = try come(bench, "Bob", false)
            // Events sent before the join is decided are relayed after it.
            try second.send(#"42["ringing",{}]"#)
            bench.advance(by: .milliseconds(900))
            #expect(try second.texts() == [])
            bench.advance(by: .milliseconds(300))
            let reported = try second.texts()
            #expect(reported.first?.hasPrefix("40{") == true)
            #expect(reported.count == 3)
            #expect(try ann.texts() == [Self.joined, #"42["ringing",{}]"#])
            bench.advance(by: .seconds(2))
            #expect(bob.line.isClosed)
            try ann.send("3")
            try second.send("3")
            bench.advance(by: .seconds(700))
            #expect(try !ann.texts().contains(Self.left))
        }
    }

    @Test(
        "A member that polls is replaced unless it receives the ping with a GET",
        arguments: [true, false]
    )
    func polling(isPolling: Bool) throws {
        try with { bench in
            let bob = try BenchPolling(bench, path: "/socket.io/", query: Self.query("Bob", false))
            try bob.send("40")
            _ = try bob.poll()
            let second = try come(bench, "Bob", false)
            if isPolling {
                #expect(try bob.poll() == ["2"])
                _ = try bob.get()
            }
            bench.advance(by: .milliseconds(1200))
            let answer = try second.texts().first ?? ""
            if isPolling {
                #expect(answer == #"44{"message":"role_taken"}"#)
            } else {
                #expect(answer.hasPrefix("40{"))
                try bob.expectGone()
            }
        }
    }

    @Test(
        "A join is refused at once if the role's member has another name or a client key",
        arguments: [("Eve", ""), ("Bob", #"{"key":"k"}"#)]
    )
    func others(name: String, auth: String) throws {
        try with { bench in
            let bob = try join(bench, "Bob", false, auth: auth)
            let second = try come(bench, name, false)
            #expect(try second.texts() == [#"44{"message":"role_taken"}"#])
            #expect(try bob.texts() == [])
        }
    }

    @Test("A client with a key replaces a silent member without a key, and the peer receives leave and join")
    func newcomerWithKey() throws {
        try with { bench in
            let ann = try join(bench, "Ann", true)
            _ = try join(bench, "Bob", false)
            _ = try ann.texts()
            let second = try come(bench, "Bob", false, auth: #"{"key":"k"}"#)
            bench.advance(by: .milliseconds(1200))
            #expect(try second.texts().first?.hasPrefix("40{") == true)
            #expect(try ann.texts() == [Self.left, Self.joined])
        }
    }

    @Test("One of several simultaneous joins gets the role, and the role's member is pinged once")
    func many() throws {
        try with { bench in
            let bob = try join(bench, "Bob", false)
            let others = try (0..<5).map { _ in try come(bench, "Bob", false) }
            #expect(try bob.texts() == ["2"])
            bench.advance(by: .milliseconds(1200))
            let first = try others.compactMap { try $0.texts().first { $0 != "2" } }
            #expect(first.count { $0.hasPrefix("40{") } == 1)
            // The other joins wait until the new member, which is one of these sockets, answers a ping.
            for other in others { try other.send("3") }
            let rest = try others.compactMap { try $0.texts().first { $0.hasPrefix("44") } }
            #expect(first.count { $0.hasPrefix("44") } + rest.count == 4)
        }
    }

    @Test("Without a client key, only a client with the same token subject as the member may return")
    func subjects() throws {
        func request(_ subject: String?) throws -> JoinRequest {
            let query = ["roomId": "1", "username": "Bob", "isCaller": "false"]
            var request = try JoinRequest(query: query, auth: nil)
            request.subject = subject
            return request
        }
        try with { bench in
            let bob = try join(bench, "Bob", false)
            let socket = try #require(bench.engine.rooms.allMembers.first?.socket)
            let member = Member(try request("b"), socket: socket, sid: "", since: 0, signals: .init())
            let verdicts = try ["b", "c", nil].map { member.mayBeEarlier(than: try request($0)) }
            #expect(verdicts == [true, false, false])
            member.socket = nil
            let returns = try ["b", "c", nil].map { member.isReturning(with: try request($0)) }
            #expect(returns == [true, false, false])
            try bob.expectAlive()
        }
    }
}
