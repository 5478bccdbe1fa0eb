import HTTPFront
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Fault injection")
struct ChaosTests {
    @Test("A dropped event reaches no member and is counted")
    func drop() throws {
        try ChaosBench.withPair({ $0.set(\.drop, 1, of: [.offer]) }) { pair in
            try pair.say("offer", 0..<3)
            try pair.say("candidate", 3..<4)
            #expect(try pair.heard() == [3])
            #expect(pair.faults[.drop] == 3)
            #expect(pair.bench.engine.counts.relays.total == 1)
        }
    }

    @Test("A duplicated event arrives at once, and its copy at once or within the range of delays")
    func duplicate() throws {
        try ChaosBench.withPair({ $0.set(\.duplicate, 1, of: [.candidate]) }) { pair in
            try pair.say("candidate", 0..<20)
            let first = try pair.heard()
            #expect(Set(first) == Set(0..<20))
            pair.advance(by: .milliseconds(300))
            let second = try pair.heard()
            #expect(!second.isEmpty && second.count < 20)
            #expect((first + second).sorted() == (0..<20).flatMap { [$0, $0] })
            #expect(pair.faults[.duplicate] == 20)
        }
    }

    @Test("A delayed event arrives after its delay, and later events wait behind it")
    func delay() throws {
        try ChaosBench.withPair({ $0.set(\.delay, 1, of: [.offer]) }) { pair in
            try pair.say("offer", 0..<1)
            try pair.say("candidate", 1..<3)
            pair.advance(by: .milliseconds(299))
            #expect(try pair.heard() == [])
            pair.advance(by: .milliseconds(1))
            #expect(try pair.heard() == [0, 1, 2])
            try pair.say("candidate", 3..<4)
            #expect(try pair.heard() == [3])
            #expect(pair.faults[.delay] == 1)
        }
    }

    @Test("A reordered event arrives after the next event, or after 1 s if there is none")
    func reorder() throws {
        try ChaosBench.withPair({ $0.set(\.reorder, 1, of: [.offer]) }) { pair in
            try pair.say("offer", 0..<1)
            #expect(try pair.heard() == [])
            try pair.say("candidate", 1..<3)
            #expect(try pair.heard() == [1, 0, 2])
            try pair.say("offer", 3..<4)
            pair.advance(by: .milliseconds(999))
            #expect(try pair.heard() == [])
            pair.advance(by: .milliseconds(1))
            #expect(try pair.heard() == [3])
            #expect(pair.faults[.reorder] == 2)
        }
    }

    @Test("A garbled event keeps its name")
    func garble() throws {
        try ChaosBench.withPair({ $0.set(\.garble, 1, of: [.offer]) }) { pair in
            let offer = #"["offer",{"type":"offer","sdp":"v=0\r\na=ice-ufrag:abcd\r\n"}]"#
            for _ in 0..<50 { try pair.ann.send("42\(offer)") }
            let heard = try pair.bob.texts()
            #expect(heard.count == 50)
            for text in heard {
                var decoder = SocketDecoder()
                let packet = try #require(try decoder.decode(text: String(text.dropFirst())))
                #expect(packet.eventName == "offer")
                #expect(text != "42\(offer)")
            }
            #expect(pair.faults[.garble] == 50)
        }
    }

    @Test("A fault after joining closes the client's socket, and the client remains a member")
    func closeAfterJoin() throws {
        try ChaosBench.with({ $0.closeAfterJoin = 1 }) { bench in
            let ann = try ChaosBench.join(bench, "Ann", isCaller: true)
            _ = try ann.texts()
            bench.advance(by: .milliseconds(499))
            try ann.expectAlive()
            bench.advance(by: .milliseconds(1))
            try ann.expect(.text("1"))
            try ann.expect(.close(1000))
            #expect(bench.engine.counts.members == 1)
            #expect(bench.engine.counts.chaos?[.close] == 1)
        }
    }

    @Test("With a close fault, the event is relayed, and then its sender's or recipient's socket is closed")
    func closeUponEvent() throws {
        var closed: Set<String> = []
        for seed in UInt64(1)...16 {
            try ChaosBench.withPair(seed: seed, { $0.set(\.close, 1, of: [.offer]) }) { pair in
                try pair.say("offer", 0..<1)
                #expect(try pair.heard() == [0])
                pair.advance(by: .milliseconds(200))
                if try pair.ann.next() == .text("1") { closed.insert("sender") }
                if try pair.bob.next() == .text("1") { closed.insert("recipient") }
                #expect(pair.faults[.close] == 1)
            }
        }
        #expect(closed == ["sender", "recipient"])
    }

    @Test("A silenced new member does not receive the list of members, but the others receive its join")
    func silence() throws {
        try ChaosBench.with({ $0.silence = 1 }) { bench in
            let ann = try ChaosBench.join(bench, "Ann", isCaller: true)
            let bob = try ChaosBench.join(bench, "Bob", isCaller: false)
            #expect(try bob.texts() == [])
            let reported = try ann.texts()
            #expect(reported.count == 1 && reported[0].hasPrefix(#"42["room_user_joined""#))
            #expect(bench.engine.counts.chaos?[.silence] == 2)
        }
    }

    @Test("Presence events can be dropped and duplicated too")
    func presence() throws {
        try ChaosBench.with({
            $0.set(\.drop, 1, of: [.userJoined])
            $0.set(\.duplicate, 1, of: [.roomState, .userLeft])
        }) { bench in
            let ann = try ChaosBench.join(bench, "Ann", isCaller: true)
            #expect(try ann.texts() == Array(repeating: #"42["room_state",{"peers":[]}]"#, count: 2))
            let bob = try ChaosBench.join(bench, "Bob", isCaller: false)
            #expect(try bob.texts().allSatisfy { $0.hasPrefix(#"42["room_state""#) })
            try bob.send("41")
            let left = #"42["room_user_left",{"username":"Bob","isCaller":false}]"#
            #expect(try ann.texts() == [left, left])
        }
    }

    @Test("The ack for a delayed event reaches the event's sender")
    func ack() throws {
        try ChaosBench.withPair({ $0.set(\.delay, 1, of: [.other]) }) { pair in
            try pair.ann.send(#"427["question"]"#)
            pair.advance(by: .milliseconds(300))
            try pair.bob.expect(.text(#"420["question"]"#))
            try pair.bob.send("430[]")
            try pair.ann.expect(.text("437[]"))
        }
    }

    @Test("While the delay queue is full, further events are sent at once")
    func bounds() throws {
        try ChaosBench.withPair({ $0.set(\.delay, 1, of: [.candidate]) }) { pair in
            try pair.say("candidate", 0..<Chaos.maximumWaiting)
            #expect(try pair.heard() == [])
            try pair.say("candidate", 5000..<5001)
            #expect(try pair.heard() == [5000])
            pair.advance(by: .milliseconds(300))
            #expect(try pair.heard() == Array(0..<Chaos.maximumWaiting))
            try pair.say("candidate", 1..<2)
            #expect(try pair.heard() == [])
        }
    }

    @Test("Delayed events for a closed socket are dropped")
    func goneSocket() throws {
        try ChaosBench.withPair({ $0.set(\.delay, 1, of: [.candidate]) }) { pair in
            try pair.say("candidate", 0..<10)
            pair.bob.line.cut()
            pair.advance(by: .milliseconds(300))
            let carol = try ChaosBench.join(pair.bench, "Bob", isCaller: false)
            #expect(try carol.texts().allSatisfy { !$0.contains("candidate") })
        }
    }

    @Test("A server without fault injection relays events unchanged and counts no faults")
    func off() throws {
        try EngineBench.with({ $0.isConformanceServer = false }) { bench in
            let ann = try ChaosBench.join(bench, "Ann", isCaller: true)
            let bob = try ChaosBench.join(bench, "Bob", isCaller: false)
            _ = try bob.texts()
            try ann.send(#"42["offer", {"odd" : "spacing"}]"#)
            try bob.expect(.text(#"42["offer", {"odd" : "spacing"}]"#))
            #expect(bench.engine.counts.chaos == nil)
            #expect(!bench.engine.rooms.decodesEvents)
            var text = PrometheusText()
            text.add(bench.engine.counts)
            #expect(!text.text.contains("chaos"))
        }
    }

    @Test("Faults are counted by kind")
    func metrics() throws {
        try ChaosBench.withPair({ $0.set(\.drop, 1, of: [.offer]) }) { pair in
            try pair.say("offer", 0..<2)
            var text = PrometheusText()
            text.add(pair.bench.engine.counts)
            #expect(text.text.contains(#"callrunner_chaos_total{deed="drop"} 2"#))
            #expect(text.text.contains(#"callrunner_chaos_total{deed="silence"} 0"#))
        }
    }
}
