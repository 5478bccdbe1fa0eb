import SocketIO
import Testing

@testable import SignalingServer

@Suite("Rooms over polling")
struct PollingRoomTests {
    private static let bob = "&roomId=1&username=Bob&isCaller=false"

    /// Runs `body` with two members of a room: Ann over WebSocket, and Bob over polling.
    private func withBoth(_ body: (EngineBench, BenchSocket, BenchPolling) throws -> Void) throws {
        try EngineBench.with({ $0.isConformanceServer = false }) { bench in
            let query = "&roomId=1&username=Ann&isCaller=true"
            let (ann, _) = try BenchSocket.open(bench, path: "/socket.io/", query: query)
            try ann.send("40")
            #expect(try ann.texts().count == 2)
            let bob = try BenchPolling(bench, path: "/socket.io/", query: Self.bob)
            try bob.send("40")
            let reported = try #require(try bob.poll())
            #expect(reported.count == 3)
            #expect(reported[1] == #"42["room_user_joined",{"username":"Ann","roomId":1,"isCaller":true}]"#)
            #expect(reported[2].hasPrefix(#"42["room_state","#))
            #expect(
                try ann.texts() == [#"42["room_user_joined",{"username":"Bob","roomId":1,"isCaller":false}]"#]
            )
            try body(bench, ann, bob)
        }
    }

    @Test("Text and binary events are relayed unchanged between WebSocket and polling in both directions")
    func relay() throws {
        try withBoth { _, ann, bob in
            let offer = #"42["offer",{"type":"offer","sdp":"é"}]"#
            let get = try bob.get()
            try ann.send(offer)
            #expect(try get.reply()?.packets == [offer])
            let binary = #"451-["data",{"_placeholder":true,"num":0}]"#
            try ann.send(binary)
            try ann.send([1, 2, 3, 4])
            #expect(try bob.poll() == [binary, "bAQIDBA=="])
            try bob.send(#"42["answer",{"sdp":"x"}]"#, binary, "bAQI=")
            for message in [
                TestSocket.Message.text(#"42["answer",{"sdp":"x"}]"#), .text(binary), .binary([1, 2]),
            ] {
                try ann.expect(message)
            }
        }
    }

    @Test("An upgrade to WebSocket during a call loses no events")
    func upgrade() throws {
        try withBoth { bench, ann, bob in
            func say(_ number: Int) throws { try ann.send(#"42["candidate",\#(number)]"#) }
            func heard(_ texts: [String]) -> [Int] {
                texts.compactMap { Int($0.dropFirst(#"42["candidate","#.count).dropLast()) }
            }
            var numbers: [Int] = []
            for number in 0..<3 { try say(number) }
            numbers += heard(try bob.poll() ?? [])
            try say(3)
            let socket = try bob.probe()
            try say(4)
            let get = try bob.get()
            numbers += heard(try get.reply()?.packets ?? [])
            let last = try bob.get()
            bench.advance(by: .milliseconds(250))
            #expect(try last.reply()?.packets == ["6"])
            for number in 5..<8 { try say(number) }
            try socket.send("5")
            for number in 8..<10 { try say(number) }
            numbers += heard(try socket.texts())
            #expect(numbers == Array(0..<10))
        }
    }

    @Test("A client leaves at once with a close packet, later if it aborts a GET", arguments: [true, false])
    func leave(isClean: Bool) throws {
        try withBoth { bench, ann, bob in
            let get = try bob.get()
            if isClean { try bob.send("1") } else { get.cut() }
            let left = #"42["room_user_left",{"username":"Bob","isCaller":false}]"#
            if !isClean {
                #expect(try ann.texts().isEmpty)
                bench.advance(by: .seconds(2))
            }
            #expect(try ann.texts() == [left])
        }
    }

    @Test("The refusal of a join arrives with the next poll, and the session may send another join")
    func refusal() throws {
        try withBoth { bench, _, _ in
            let query = "&roomId=1&username=Eve&isCaller=false"
            let eve = try BenchPolling(bench, path: "/socket.io/", query: query)
            try eve.send("40")
            let reported = try #require(try eve.poll())
            #expect(reported.count == 1)
            #expect(reported[0].hasPrefix(#"44{"message":"r"#))
            try eve.send(#"40/x,"#)
            #expect(try eve.poll() == [#"44/x,{"message":"Invalid namespace"}"#])
        }
    }
}
