import Basics
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Server for the official Socket.IO test suites")
struct ConformanceTests {
    private func withSocket(_ body: (EngineBench, BenchSocket) throws -> Void) throws {
        try EngineBench.with { bench in
            try body(bench, try BenchSocket.open(bench, path: "/socket.io/").socket)
        }
    }

    /// Joins a namespace and reads the two replies, CONNECT and `auth`.
    private func join(_ namespace: String = "", on socket: BenchSocket) throws {
        try socket.send("40\(namespace)")
        #expect(try socket.texts().count == 2)
    }

    @Test(
        "A joining client receives its sid, then the auth payload it sent",
        arguments: [
            ("40", "40", #"42["auth",{}]"#), (#"40{"token":"123"}"#, "40", #"42["auth",{"token":"123"}]"#),
            ("40/custom", "40/custom,", #"42/custom,["auth",{}]"#),
            (#"40/custom,{"a":[1]}"#, "40/custom,", #"42/custom,["auth",{"a":[1]}]"#),
        ]
    )
    func connect(packet: String, reply: String, auth: String) throws {
        try withSocket { _, socket in
            try socket.send(packet)
            let texts = try socket.texts()
            try #require(texts.count == 2)
            #expect(texts[0].hasPrefix(reply))
            let json = try JSON(parsing: String(texts[0].dropFirst(reply.count)))
            let sid = try #require(json["sid"]?.stringValue)
            #expect(json == ["sid": .string(sid)])
            #expect(sid.utf8.count == 20)
            #expect(texts[1] == auth)
        }
    }

    @Test("The session and each namespace have different sids")
    func sids() throws {
        try EngineBench.with { bench in
            let (socket, handshake) = try BenchSocket.open(bench, path: "/socket.io/")
            try socket.send("40")
            try socket.send("40/custom")
            let replies = try socket.texts().filter { $0.hasPrefix("40") }
            let sids = try replies.map { text in
                try JSON(parsing: String(text.drop { $0 != "{" }))["sid"]?.stringValue ?? ""
            }
            #expect(Set(sids + [handshake.sid]).subtracting([""]).count == 3)
        }
    }

    @Test("An unknown namespace is refused, and the connection stays open")
    func invalidNamespace() throws {
        try withSocket { _, socket in
            try socket.send("40/random")
            #expect(try socket.texts() == [#"44/random,{"message":"Invalid namespace"}"#])
            try join(on: socket)
            try socket.expectAlive()
        }
    }

    @Test(
        "A message is echoed with its arguments",
        arguments: ["", ",1", #","2""#, #",{"3":[true]}"#, #",1,"2",{"3":[true]}"#, #",null,1.5,"é\n""#]
    )
    func message(arguments: String) throws {
        try withSocket { _, socket in
            try join(on: socket)
            try socket.send(#"42["message"\#(arguments)]"#)
            #expect(try socket.texts() == [#"42["message-back"\#(arguments)]"#])
            try socket.send(#"42456["message-with-ack"\#(arguments)]"#)
            #expect(try socket.texts() == ["43456[\(arguments.dropFirst())]"])
        }
    }

    @Test("Binary data is echoed in events and in acks")
    func binary() throws {
        try withSocket { _, socket in
            try join(on: socket)
            let placeholders = #"{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}"#
            for (sent, received) in [
                (#"452-["message",\#(placeholders)]"#, #"452-["message-back",\#(placeholders)]"#),
                (#"452-789["message-with-ack",\#(placeholders)]"#, "462-789[\(placeholders)]"),
            ] {
                try socket.send(sent)
                try socket.send([1, 2, 3])
                try socket.expect(nil)
                try socket.send([4, 5])
                for message in [
                    TestSocket.Message.text(received), .binary([1, 2, 3]), .binary([4, 5]), nil,
                ] {
                    try socket.expect(message)
                }
            }
        }
    }

    @Test("After leaving the namespace, a client receives only pings")
    func disconnect() throws {
        try withSocket { bench, socket in
            try join(on: socket)
            try socket.send("41")
            bench.advance(by: .seconds(24))
            try socket.expect(nil)
            bench.advance(by: .seconds(1.2))
            try socket.expect(.text("2"))
            try join(on: socket)
        }
    }

    @Test("Leaving one namespace does not affect the other")
    func disconnectOne() throws {
        try withSocket { _, socket in
            try join(on: socket)
            try join("/custom,", on: socket)
            try socket.send("41/custom,")
            try socket.send(#"42["message"]"#)
            #expect(try socket.texts() == [#"42["message-back"]"#])
            try join("/custom,", on: socket)
        }
    }

    @Test(
        "A client that joins no namespace in time is disconnected, even after a refused attempt",
        arguments: [false, true]
    )
    func connectTimeout(isRefused: Bool) throws {
        try EngineBench.with({ $0.connectTimeout = .seconds(1) }) { bench in
            let (socket, _) = try BenchSocket.open(bench, path: "/socket.io/")
            let (other, _) = try BenchSocket.open(bench, path: "/socket.io/")
            try join(on: other)
            if isRefused {
                try socket.send("40/random")
                #expect(try socket.texts().count == 1)
            }
            bench.advance(by: .seconds(0.9))
            try socket.expect(nil)
            bench.advance(by: .seconds(0.3))
            try socket.expect(.text("1"))
            try socket.expect(.close(1000))
            try other.expectAlive()
        }
    }

    @Test(
        "A protocol violation closes the whole connection",
        arguments: [
            [#"42["message"]"#], ["41"], ["43[]"], [#"44{"message":"x"}"#], ["40", "40"],
            ["40", #"42/custom,["message"]"#], ["40", "41", #"42["message"]"#],
            ["40", "40/custom,", "40/custom,"],
            ["40", "41/custom,"], ["40", "43/custom,1[]"], ["40", #"44{"message":"x"}"#], ["49"], ["4abc"],
            ["40[]"], [#"40"x""#], ["40", "42"], ["40", "42{}"], ["40", "42[]"], ["40", "42[null]"],
            ["40", #"42["connect"]"#], ["40", #"42["disconnect"]"#], ["40", "43{}"], ["40", "41{}"],
            ["40", #"4511-["x"]"#], ["40", #"45x-["x"]"#],
            ["40", #"451-["message",{"_placeholder":true,"num":0}]"#, #"42["message"]"#],
        ]
    )
    func breaches(packets: [String]) throws {
        try withSocket { bench, socket in
            for packet in packets.dropLast() { try socket.send(packet) }
            _ = try socket.texts()
            try socket.expect(nil)
            #expect(bench.engine.sessions.count == 1)
            try socket.send(packets[packets.count - 1])
            try socket.expect(.text("1"))
            guard case .close? = try socket.next() else { throw TestFailure("not closed") }
            #expect(bench.engine.sessions.isEmpty)
        }
    }

    @Test("Unannounced binary data and unmatched placeholders close the connection")
    func strayBytes() throws {
        for text in [nil, #"451-["message",{"_placeholder":true,"num":1}]"#] {
            try withSocket { _, socket in
                try join(on: socket)
                if let text { try socket.send(text) }
                try socket.send([1])
                try socket.expect(.text("1"))
                try socket.expect(.close(1002))
            }
        }
    }

    @Test("Acks that were not requested are ignored")
    func unknownAck() throws {
        try withSocket { _, socket in
            try join(on: socket)
            try socket.send("4399[]")
            try socket.expectAlive()
        }
    }

    @Test("Joins, events and acks also work over polling, with binary data as Base64")
    func polling() throws {
        try EngineBench.with { bench in
            let polling = try BenchPolling(bench, path: "/socket.io/")
            try polling.send(#"40{"a":1}"#)
            let joined = try #require(try polling.poll())
            #expect(joined.count == 2)
            #expect(joined[0].hasPrefix(#"40{"sid":""#))
            #expect(joined[1] == #"42["auth",{"a":1}]"#)
            try polling.send(
                #"451-["message",{"_placeholder":true,"num":0}]"#,
                "bAQIDBA==",
                #"421["message-with-ack",2]"#
            )
            #expect(
                try polling.poll() == [
                    #"451-["message-back",{"_placeholder":true,"num":0}]"#, "bAQIDBA==", "431[2]",
                ]
            )
        }
    }

    @Test(
        "The plain Engine.IO endpoint echoes text and binary messages",
        arguments: ["/engine.io/", "/engine.io"]
    )
    func echo(path: String) throws {
        try EngineBench.with { bench in
            let (socket, _) = try BenchSocket.open(bench, path: path)
            try socket.send("4hello€")
            try socket.send([0, 255])
            try socket.expect(.text("4hello€"))
            try socket.expect(.binary([0, 255]))
        }
    }

    @Test("The plain Engine.IO endpoint is off by default")
    func noEcho() throws {
        try EngineBench.with({ $0.isConformanceServer = false }) { bench in
            let status = try bench.answer("POST", "/engine.io/?EIO=4&transport=polling", body: "").status
            #expect(status == 405)
            #expect(bench.engine.sessions.isEmpty)
        }
    }

    @Test("The conformance configuration has the values that the official test suites expect")
    func configuration() {
        let configuration = ServerConfiguration.conformance
        #expect(configuration.port == 3000)
        #expect(configuration.pingInterval == .milliseconds(300))
        #expect(configuration.pingTimeout == .milliseconds(200))
        #expect(configuration.maximumPayload == 1_000_000)
        #expect(configuration.connectTimeout == .seconds(1))
    }
}
