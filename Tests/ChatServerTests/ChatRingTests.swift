import ChatCore
import NIOCore
import Testing

@testable import ChatServer

@Suite("Ringing calls in the chat")
struct ChatRingTests {
    private let rig: HubRig

    init() throws { rig = try HubRig() }

    /// The inboxes of two people.
    private func inboxes() throws -> (Int, Int) {
        let inboxes = (try rig.open(20, with: nil), try rig.open(30, with: nil))
        rig.forgetFrames()
        return inboxes
    }

    @Test("A person may call the same callee only every three seconds, and the refusal names the room")
    func pause() throws {
        let (caller, callee) = try inboxes()
        try rig.receive(.call(room: 7), with: 30, from: caller)
        rig.advance(.milliseconds(2900))
        try rig.receive(.call(room: 8), with: 30, from: caller)
        #expect(rig.types(callee) == ["call"])
        #expect(rig.take(caller).first?.contains(#""ref":"8""#) == true)
        rig.advance(.milliseconds(200))
        try rig.receive(.call(room: 9), with: 30, from: caller)
        #expect(rig.types(callee) == ["call"] && rig.types(caller) == [])
    }

    @Test("A person may call 20 others at once, and then one every three seconds")
    func rate() throws {
        let caller = try rig.open(20, with: nil)
        for person in 30...51 { try rig.open(person, with: nil) }
        rig.forgetFrames()
        for person in 30..<50 {
            try rig.receive(.call(room: 7), with: person, from: caller)
            rig.advance(.milliseconds(100))
        }
        #expect(rig.types(caller) == [])
        try rig.receive(.call(room: 7), with: 50, from: caller)
        #expect(rig.types(caller) == ["error too_fast"])
        rig.advance(.seconds(2))
        try rig.receive(.call(room: 7), with: 50, from: caller)
        #expect(rig.types(caller) == [])
    }

    @Test(
        "After a decline, the same caller is refused for 30 seconds unless the callee calls back",
        arguments: [true, false]
    )
    func declined(callsBack: Bool) throws {
        let (caller, callee) = try inboxes()
        try rig.receive(.call(room: 7), with: 30, from: caller)
        rig.advance(.seconds(4))
        try rig.receive(.hangUp(room: 7), with: 20, from: callee)
        if callsBack { try rig.receive(.call(room: 8), with: 20, from: callee) }
        rig.forgetFrames()
        rig.advance(.seconds(29))
        try rig.receive(.call(room: 9), with: 30, from: caller)
        #expect(rig.types(callee) == (callsBack ? ["call"] : []))
        #expect(rig.types(caller) == (callsBack ? [] : ["error too_fast"]))
        rig.advance(.seconds(4))
        try rig.receive(.call(room: 9), with: 30, from: caller)
        #expect(rig.types(callee) == ["call"])
    }

    @Test("After an answered call has ended, the caller may call again")
    func failed() throws {
        let (caller, callee) = try inboxes()
        try rig.receive(.call(room: 7), with: 30, from: caller)
        try rig.receive(.answer(room: 7), with: 20, from: callee)
        rig.advance(.seconds(20))
        try rig.receive(.hangUp(room: 7), with: 20, from: callee)
        rig.forgetFrames()
        try rig.receive(.call(room: 8), with: 30, from: caller)
        #expect(rig.types(callee) == ["call"])
    }

    @Test("A caller who hangs up before an answer may call again after three seconds")
    func cancelled() throws {
        let (caller, callee) = try inboxes()
        try rig.receive(.call(room: 7), with: 30, from: caller)
        try rig.receive(.hangUp(room: 7), with: 30, from: caller)
        rig.advance(.seconds(3))
        try rig.receive(.call(room: 8), with: 30, from: caller)
        #expect(rig.types(callee) == ["call", "hangup", "call"])
    }

    @Test("An answer or a decline ends the ringing on the callee's other devices", arguments: [true, false])
    func devices(isAnswered: Bool) throws {
        let (caller, callee) = try inboxes()
        let other = try rig.open(30, with: nil)
        let stranger = try rig.open(40, with: nil)
        try rig.receive(.call(room: 7), with: 30, from: caller)
        rig.forgetFrames()
        try rig.receive(isAnswered ? .answer(room: 7) : .hangUp(room: 7), with: 20, from: callee)
        #expect(rig.take(other) == [ChatEventEnvelope(.hangUp(room: 7, from: 30), with: 20).text])
        #expect(rig.types(caller) == (isAnswered ? [] : ["hangup"]))
        #expect(rig.take(callee) == [] && rig.take(stranger) == [])
    }

    @Test("A caller can still hang up a call that rang before the callee blocked the caller")
    func block() throws {
        let (caller, callee) = try inboxes()
        try rig.receive(.call(room: 7), with: 30, from: caller)
        try rig.receive(.block(person: 20), from: callee)
        rig.forgetFrames()
        try rig.receive(.hangUp(room: 8), with: 30, from: caller)
        #expect(rig.types(callee) == [])
        try rig.receive(.hangUp(room: 7), with: 30, from: caller)
        #expect(rig.types(callee) == ["hangup"])
    }

    @Test("Calls are removed from memory after a minute")
    func memory() throws {
        var rings = ChatRings()
        for round in 0..<4 {
            let time = NIODeadline.uptimeNanoseconds(UInt64(round + 1) * 61_000_000_000)
            for person in 0..<1000 { _ = rings.begin(7, from: person, to: person + 1, at: time) }
        }
        #expect(rings.count <= 4096)
    }
}
