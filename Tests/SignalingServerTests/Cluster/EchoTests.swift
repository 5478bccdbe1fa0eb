import Basics
import CallCore
import HTTPFront
import NIOCore
import RedisKit
import SocketIO
import Testing

@testable import SignalingServer

@Suite struct EchoTests {
    private static let echo = Echo(of: "~abcde")

    private static func broadcast(_ node: String) -> AdapterBroadcast {
        AdapterBroadcast(node: node, .event("x", [1]), rooms: ["1"])
    }

    @Test("A server recognizes all of its own Redis messages and none of other servers")
    func ownMessages() throws {
        let room = try RoomID("1")
        for (node, isOwn) in [("~abcde", true), ("~abcdf", false), ("~abcdef", false), ("~abcd", false)] {
            let message = NodeMessage.ousted(sid: "a", room: room).json(from: node).serialized()
            let request = #"{"uid":"\#(node)","requestId":"a","type":5}"#
            for bytes in [
                Self.broadcast(node).encoded, Self.broadcast(node).request(id: "a"), Array(message.utf8),
                Array(request.utf8),
            ] {
                #expect(Self.echo.isHeard(in: ByteBuffer(bytes: bytes)) == isOwn, "\(node) \(bytes)")
            }
        }
    }

    @Test("A message that only resembles the server's own messages is not mistaken for one of them")
    func lookalikes() {
        let whole = Self.broadcast("~abcde").encoded
        // These messages are too short to name their server.
        for count in 0..<8 { #expect(!Self.echo.isHeard(in: ByteBuffer(bytes: whole.prefix(count)))) }
        for text in [
            #"{"node":"~abcde\u0000","type":"gone"}"#, #"{"type":"gone","node":"~abcde"}"#,
            #"{"to":{"node":"~abcde"}}"#, #"["~abcde"]"#, "~abcde", "{", #"{"node":"#,
        ] {
            #expect(!Self.echo.isHeard(in: ByteBuffer(string: text)), "\(text)")
        }
        let nested = MessagePackEncoder.encode([["~abcde"], ["type": 2, "data": ["x"]], [:]])
        #expect(!Self.echo.isHeard(in: ByteBuffer(bytes: nested)))
    }

    @Test(
        "A server drops its own Redis messages without decoding them",
        .enabled(if: RedisProcess.isInstalled),
        .timeLimit(.minutes(4))
    )
    func echoIsNotDecoded() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                let node = try await bench.inside { $0.rooms.cluster?.link.node ?? "" }
                for id in [node, Neighbour.node] {
                    // These messages cannot be decoded.
                    let broken = Array(Self.broadcast(id).encoded.prefix(9))
                    let text = Array(#"{"node":"\#(id)",,"#.utf8)
                    try await bench.neighbour.redis("PUBLISH", AdapterChannels.room("1"), broken)
                    try await bench.neighbour.redis("PUBLISH", AdapterChannels.nodes, text)
                }
                #expect(try await ann.presenceChanges(bench.neighbour) == [])
                #expect(try await bench.server.counts.cluster?.refused[.malformed] == 2)
            }
        }
    }
}
