import Basics
import NIOCore
import SocketIO
import Testing

@testable import struct SignalingServer.HeldSignals

@Suite("Signals that the server holds for a later peer")
struct HeldSignalsTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private static func offer(_ ufrag: String, padding: Int = 0) -> SocketPacket {
        let sdp = "v=0\r\na=ice-ufrag:\(ufrag)\r\n"
        return .event(
            "offer",
            [
                [
                    "type": "offer", "sdp": .string(sdp),
                    "padding": .string(String(repeating: "x", count: padding)),
                ]
            ]
        )
    }

    private static func candidate(_ number: Int, padding: Int = 0) -> SocketPacket {
        .event(
            "candidate",
            [["candidate": .string("candidate:\(number)" + String(repeating: "x", count: padding))]]
        )
    }

    private func text(_ packets: SocketPacket...) -> [EnginePacket] {
        packets.map { .message(SocketEncoder.encode($0).text) }
    }

    /// Returns the packets held for a later peer after a member has sent these events and `time` has passed.
    private func held(_ said: SocketPacket..., after time: TimeAmount = .zero) -> [EnginePacket] {
        var held = HeldSignals(HeldSignals.Budget())
        for packet in said { held.add(packet, at: start) }
        return held.packets(at: start + time)
    }

    @Test("An offer or answer is held with its candidates, in order")
    func order() {
        let answer = SocketPacket.event("answer", [["type": "answer", "sdp": "v=0\r\n"]])
        for description in [Self.offer("a"), answer] {
            let (one, two) = (Self.candidate(1), Self.candidate(2))
            #expect(held(description, one, two) == text(description, one, two))
        }
    }

    @Test("Candidates without an offer or answer are not held, and neither are other events")
    func others() {
        #expect(held(Self.candidate(1), .event("hello"), .event("ringing")) == [])
        #expect(held(Self.offer("a"), .event("hello")) == text(Self.offer("a")))
    }

    @Test("A newer offer drops the older one and its candidates")
    func newerOffer() {
        let said = held(Self.offer("a"), Self.candidate(1), Self.offer("b"), Self.candidate(2))
        #expect(said == text(Self.offer("b"), Self.candidate(2)))
    }

    @Test("A hangup drops the held offer")
    func hangup() { #expect(held(Self.offer("a"), .event("hangup", [["offer": "a"]])) == []) }

    @Test("At most 64 candidates are held")
    func candidateLimit() {
        var held = HeldSignals(HeldSignals.Budget())
        held.add(Self.offer("a"), at: start)
        for number in 0..<100 { held.add(Self.candidate(number), at: start) }
        let packets = held.packets(at: start)
        #expect(packets.count == 65)
        #expect(packets.last == text(Self.candidate(63)).first)
    }

    @Test("At most 256 KiB are held, and a longer offer is not held at all")
    func byteLimit() {
        #expect(held(Self.offer("a", padding: 262_144)) == [])
        let long = Self.offer("a", padding: 250_000)
        #expect(
            held(long, Self.candidate(1, padding: 20_000), Self.candidate(2)) == text(long, Self.candidate(2))
        )
        let binary = SocketPacket.event("candidate", [.binary(Array(repeating: 0, count: 20_000))])
        #expect(held(long, binary) == text(long))
        // The longer offer is not held, but it removes the earlier one.
        #expect(held(Self.offer("a"), Self.offer("b", padding: 262_144)) == [])
    }

    @Test("The held signals of all members take at most 32 MiB, and dropped ones free their space")
    func budget() {
        let budget = HeldSignals.Budget()
        func stored() -> Int {
            // More than fit; those that are held go with the end of the function.
            var count = 0
            func add(_ rest: Int) {
                guard rest > 0 else { return }
                var held = HeldSignals(budget)
                held.add(Self.offer("a", padding: 250_000), at: start)
                held.add(Self.candidate(1), at: start)
                if !held.packets(at: start).isEmpty { count += 1 }
                add(rest - 1)
            }
            add(200)
            return count
        }
        #expect((130...136).contains(stored()))
        #expect((130...136).contains(stored()))
    }

    @Test("At the limit of 32 MiB, smaller signals replace the largest ones, and larger ones are not held")
    func fairness() {
        let budget = HeldSignals.Budget()
        func isKept(_ padding: Int, besides others: Int) -> Bool {
            guard others > 0 else {
                var late = HeldSignals(budget)
                late.add(Self.offer("a", padding: padding), at: start)
                late.add(Self.candidate(1), at: start)
                return late.packets(at: start).count == 2
            }
            var held = HeldSignals(budget)
            held.add(Self.offer("a", padding: 200_000), at: start)
            let result = isKept(padding, besides: others - 1)
            held.add(Self.candidate(1), at: start)
            // A candidate without its description would be of no use.
            #expect(held.packets(at: start).isEmpty || held.packets(at: start).count == 2)
            return result
        }
        #expect(isKept(4000, besides: 167))
        #expect(isKept(4000, besides: 200))
        #expect(!isKept(250_000, besides: 167))
    }

    @Test("Held signals expire after ten minutes")
    func timeLimit() {
        #expect(held(Self.offer("a"), after: .minutes(10) - .nanoseconds(1)) == text(Self.offer("a")))
        #expect(held(Self.offer("a"), after: .minutes(10)) == [])
        var late = HeldSignals(HeldSignals.Budget())
        late.add(Self.offer("a"), at: start)
        late.add(Self.candidate(1), at: start + .minutes(9))
        #expect(late.deadline == start + .minutes(10))
        #expect(late.packets(at: start + .minutes(10)) == [])
    }

    @Test(
        "An answer or hangup drops the held offer, unless it refers to another offer",
        arguments: [
            ("answer", "a", true), ("answer", nil, true), ("answer", "older", false), ("hangup", "a", true),
            ("hangup", "older", false), ("ringing", "a", false), ("candidate", nil, false),
        ]
    )
    func answered(event: String, offer: String?, isDropped: Bool) {
        var held = HeldSignals(HeldSignals.Budget())
        held.add(Self.offer("a"), at: start)
        var payload: JSONObject = [:]
        payload["offer"] = offer.map(JSON.string)
        held.hear(.event(event, [.object(payload)]))
        held.add(Self.candidate(1), at: start)
        #expect(held.packets(at: start) == (isDropped ? [] : text(Self.offer("a"), Self.candidate(1))))
    }

    @Test("A held offer without an ice-ufrag is dropped by any answer")
    func unnamedOffer() {
        var held = HeldSignals(HeldSignals.Budget())
        held.add(.event("offer", [5]), at: start)
        held.hear(.event("answer", [["offer": "x"]]))
        #expect(held.packets(at: start) == [])
    }

    @Test("A held answer remains held when the peer answers too")
    func heldAnswer() {
        let answer = SocketPacket.event("answer", [["sdp": "v=0"]])
        var held = HeldSignals(HeldSignals.Budget())
        held.add(answer, at: start)
        held.hear(answer)
        #expect(held.packets(at: start) == text(answer))
    }

    @Test("The request for an ack is removed from a held event")
    func ack() {
        #expect(held(.event("offer", ["x"], ackID: 5)) == text(.event("offer", ["x"])))
    }
}
