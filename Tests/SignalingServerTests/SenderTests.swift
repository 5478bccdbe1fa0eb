import CallCore
import HTTPFront
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Senders of events")
struct SenderTests {
    /// Runs `body` with Ann, Bob and the attacker Eve in an open room.
    ///
    /// All have received their initial events.
    private func withThree(
        _ configure: (inout ServerConfiguration) throws -> Void = { _ in },
        _ body: (EngineBench, _ bob: BenchSocket, _ eve: BenchSocket) throws -> Void
    ) throws {
        try EngineBench.with({
            $0.isConformanceServer = false
            $0.openRooms = true
            try configure(&$0)
        }) { bench in
            let ann = try join(bench, "Ann", true)
            let bob = try join(bench, "B%C3%B6b", false)
            let eve = try join(bench, "Eve", false)
            for socket in [ann, bob, eve] { _ = try socket.texts() }
            try body(bench, bob, eve)
        }
    }

    private func join(_ bench: EngineBench, _ name: String, _ isCaller: Bool) throws -> BenchSocket {
        let (socket, _) = try BenchSocket.open(
            bench,
            path: "/socket.io/",
            query: "&roomId=1&username=\(name)&isCaller=\(isCaller)"
        )
        try socket.send("40")
        try #require(try socket.texts().first?.hasPrefix("40{") == true)
        return socket
    }

    private static let forged = [
        #"42["hangup",{"from":"Ann"}]"#, #"42["offer",{"type":"offer","from":"Ann","to":"Böb"}]"#,
        #"42["hangup" , { "from" : "Ann" } ]"#, #"42["hangup",{"fr\u006fm":"Ann"}]"#,
        #"42["hangup",{"\u0066\u0072\u006F\u006d":"\u0041nn"}]"#, #"42["hangup",{"from":"An\u200bn"}]"#,
        #"42["hangup",{"from":" Ann\n"}]"#, #"42["hangup",{"from":"\u2066Ann"}]"#,
        #"42["hangup",{"a":{"from":1},"b":[{}],"from":"Ann"}]"#,
        #"42["hangup",{"from":"Ann"},{"from":"Eve"}]"#,
        #"42["hangup",{"from":"Bo\u0308b"}]"#, #"42["other",{"from":"Ann"}]"#,
        // The server must decode these, because they are not plain events.
        #"427["hangup",{"from":"Ann"}]"#, #"450-["hangup",{"from":"Ann"}]"#,
        #"42["\u0068angup",{"from":"Ann"}]"#, #"42/,["hangup",{"from":"Ann"}]"#,
    ]

    @Test(
        "An event with an overlong sender name is dropped, even if the event must be decoded",
        arguments: ["42", "427"],
        [" ", "\u{301}", "a"]
    )
    func longSender(kind: String, part: String) throws {
        let count = 8192 / part.utf8.count
        try withThree { bench, bob, eve in
            try eve.send(#"\#(kind)["hangup",{"from":"B\#(String(repeating: part, count: count))"}]"#)
            #expect(try bob.texts() == [])
            #expect(bench.engine.counts.eventsDropped[.forgedSender] == 1)
            try eve.send(#"42["hangup",{"from":"B\#(String(repeating: part, count: count - 1))"}]"#)
            #expect(try bob.texts().count == 1)
        }
    }

    @Test("An event that names another member as its sender is dropped", arguments: forged)
    func forgery(text: String) throws {
        try withThree { bench, bob, eve in
            try eve.send(text)
            #expect(try bob.texts() == [])
            #expect(bench.engine.counts.eventsDropped[.forgedSender] == 1)
            // Further events of the sender are relayed.
            try eve.send(#"42["hangup",{"from":"Eve"}]"#)
            #expect(try bob.texts() == [#"42["hangup",{"from":"Eve"}]"#])
        }
    }

    @Test(
        "An event with several `from` members is dropped",
        arguments: [
            #"42["hangup",{"from":"Ann","from":"Eve"}]"#, #"42["hangup",{"from":"Eve","fro\u006d":"Ann"}]"#,
            #"42["hangup",{"from":1,"from":"Ann"}]"#, #"42["hangup",{"from":"Eve","from":"Eve"}]"#,
        ]
    )
    func ambiguous(text: String) throws {
        try withThree { bench, bob, eve in
            try eve.send(text)
            #expect(try bob.texts() == [])
            #expect(bench.engine.counts.eventsDropped[.ambiguousSender] == 1)
        }
    }

    @Test(
        "An event whose `from` names no other member is relayed unchanged",
        arguments: [
            #"42["a",{"from":"Eve"}]"#, #"42["a",{"from":"\u0045ve"}]"#, #"42["a",{"from":"Nobody"}]"#,
            #"42["a",{"from":7}]"#, #"42["a",{"from":["Ann"]}]"#, #"42["a",{"from":null}]"#,
            #"42["a",{"fromm":"Ann"}]"#, #"42["a",{"From":"Ann"}]"#, #"42["a",{"x":{"from":"Ann"}}]"#,
            #"42["a",[{"from":"Ann"}]]"#, #"42["a",1,{"from":"Ann"}]"#, #"42["a","from","Ann"]"#,
            #"42["a",{}]"#, #"42["a",{"from":"ann"}]"#, #"42["a",{"from":""}]"#,
            #"42["a",{"fr\f\ro":"Ann"}]"#,
        ]
    )
    func others(text: String) throws {
        try withThree { bench, bob, eve in
            try eve.send(text)
            #expect(try bob.texts() == [text])
            #expect(bench.engine.counts.eventsDropped.total == 0)
        }
    }

    @Test("A member may send events under its own name even if another member has the same name")
    func namesake() throws {
        try withThree { bench, bob, _ in
            let other = try join(bench, "Ann", false)
            _ = try bob.texts()
            try other.send(#"42["hangup",{"from":"Ann"}]"#)
            #expect(try bob.texts() == [#"42["hangup",{"from":"Ann"}]"#])
        }
    }

    @Test("An event under the name of a member with a lost connection is dropped")
    func lost() throws {
        try withThree { bench, bob, eve in
            let zoe = try join(bench, "Zoe", false)
            zoe.line.cut()
            _ = try bob.texts()
            try eve.send(#"42["hangup",{"from":"Zoe"}]"#)
            #expect(try bob.texts() == [])
        }
    }

    @Test("An event with a forged sender is also dropped if the server holds offers")
    func holding() throws {
        try withThree({ $0.holdsSignals = true }) { _, bob, eve in
            let last = #"42["offer",{"from":"Eve","from":"Ann"}]"#
            for text in [#"42["offer",{"sdp":"","from":"Ann"}]"#, last] {
                try eve.send(text)
                #expect(try bob.texts() == [])
            }
        }
    }

    @Test("An event under the peer's name is dropped in a room for two")
    func pair() throws {
        try EngineBench.with({ $0.isConformanceServer = false }) { bench in
            let ann = try join(bench, "Ann", true)
            let bob = try join(bench, "Bob", false)
            for socket in [ann, bob] { _ = try socket.texts() }
            try ann.send(#"42["hangup",{"from":"Bob"}]"#)
            #expect(try bob.texts() == [])
        }
    }
}
