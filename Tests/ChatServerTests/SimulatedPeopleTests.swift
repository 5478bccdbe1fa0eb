import Basics
import ChatCore
import Testing

@testable import ChatServer

@Suite("People simulated by the server")
struct SimulatedPeopleTests {
    @Test("Three simulated people are always online, seven sometimes, and five never")
    func online() {
        var people = SimulatedPeople(isEnabled: true, seed: 1)
        var counts = [Int](repeating: 0, count: SimulatedPeople.count + 1)
        for _ in 0..<1000 {
            people.draw()
            for person in people.all where person.isOnline { counts[person.id] += 1 }
        }
        #expect(counts[1...3].allSatisfy { $0 == 1000 })
        #expect(counts[4...10].allSatisfy { (130...270).contains($0) })
        #expect(counts[11...].allSatisfy { $0 == 0 })
        #expect(SimulatedPeople(isEnabled: false, seed: 1).all == [])
    }

    @Test("An online simulated person types, and replies after a delay with a message marked as automatic")
    func reply() throws {
        let rig = try HubRig(hasSimulatedPeople: true)
        let (extended, plain) = (try rig.open(20, with: 1), try rig.open(20, with: 1, isExtended: false))
        rig.forgetFrames()
        try rig.say("m", from: extended)
        #expect(rig.types(extended) == ["message", "typing"])
        #expect(rig.replies.map(\.after) == [.seconds(1)])
        _ = rig.take(plain)
        try rig.reply()
        #expect(rig.take(plain).first?.hasSuffix(#", "auto": true}}"#) == true)
        #expect(try rig.store.texts(20, 1).count == 4)
        #expect(rig.replies.count == 1)
    }

    @Test("A simulated person who is offline, blocked, or replaced by a client does not reply")
    func silence() throws {
        let rig = try HubRig(hasSimulatedPeople: true, replyDelay: .zero)
        let (offline, online) = (try rig.open(20, with: 15), try rig.open(20, with: 1))
        try rig.say("m", from: offline)
        #expect(rig.replies.isEmpty)
        let client = try rig.open(1, with: 20)
        try rig.say("n", from: online)
        #expect(rig.replies.isEmpty)
        try rig.close(client)
        try rig.say("o", from: online)
        #expect(rig.replies.count == 1)
        try rig.receive(.block(person: 1), from: online)
        let count = try rig.store.texts(20, 1).count
        try rig.reply()
        #expect(try rig.store.texts(20, 1).count == count)
    }

    @Test("A change of a simulated person's presence is sent to clients")
    func draws() throws {
        let rig = try HubRig(hasSimulatedPeople: true)
        let socket = try rig.open(20, with: 5)
        rig.forgetFrames()
        let wasOnline = rig.hub.isOnline(5)
        for _ in 0..<100 where rig.hub.isOnline(5) == wasOnline {
            try rig.drawSimulated()
            rig.advance(.seconds(10))
        }
        #expect(rig.take(socket) == [#"{"type":"presence","userId":5,"isOnline":\#(!wasOnline)}"#])
    }

    @Test("A conversation's first frame reports whether the server simulates the other person")
    func marked() throws {
        func isMarked(_ rig: HubRig, with peer: Int) throws -> Bool? {
            let socket = try rig.open(20, with: peer)
            return try JSON(parsing: rig.take(socket).first ?? "")["isPeerSimulated"]?.boolValue
        }
        let rig = try HubRig(hasSimulatedPeople: true)
        #expect(try isMarked(rig, with: 5) == true)
        #expect(try isMarked(rig, with: 30) == nil)
        try rig.open(5, with: 20)
        #expect(try isMarked(rig, with: 5) == nil)
        #expect(try isMarked(HubRig(), with: 5) == nil)
    }

    @Test("The presence of simulated people changes at most once in ten seconds")
    func drawsOften() throws {
        let rig = try HubRig(hasSimulatedPeople: true)
        try rig.drawSimulated()
        let before = rig.hub.simulated.all
        for _ in 0..<100 { try rig.drawSimulated() }
        #expect(rig.hub.simulated.all == before)
        rig.advance(.seconds(9))
        try rig.drawSimulated()
        #expect(rig.hub.simulated.all == before)
    }
}
