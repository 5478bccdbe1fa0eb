import CallCore
import Testing

@Suite("Presence tracker")
struct PresenceTrackerTests {
    private let bob = Participant(username: "Bob", role: .callee)
    private let joined = RoomEvent.joined(url: "u", transport: "t")

    private func presence(_ events: [RoomEvent], role: Role = .caller) -> PresenceTracker {
        var room = PresenceTracker(role: role)
        for event in events { _ = room.apply(event) }
        return room
    }

    @Test("Only a participant with the opposite role or an unknown role is a peer")
    func roles() {
        let carl = Participant(username: "Carl", role: .caller)
        #expect(presence([.peerJoined(carl)]).peer == nil)
        #expect(presence([.peerJoined(carl)]).rival == carl)
        #expect(presence([.peerJoined(carl), .peerJoined(bob)]).peer == bob)
        let withoutRole = Participant(username: "Bob", role: nil)
        #expect(presence([.peerJoined(withoutRole)]).peer == withoutRole)
    }

    @Test(
        "A participant list adds only new participants, and known ones that it lacks are reported as missing"
    )
    func knownParticipants() {
        var room = presence([joined, .peerJoined(bob)])
        #expect(room.apply(.roomState([bob])).isEmpty)
        #expect(room.apply(.roomState([])) == [.missing(bob)])
        #expect(room.isPeerAbsent)
    }

    @Test("A late leave of a replaced socket is ignored")
    func lateLeft() {
        var room = presence([joined, .peerJoined(bob)])
        #expect(room.apply(.peerJoined(bob)) == [.reappeared(bob)])
        #expect(room.apply(.peerLeft(Participant(username: "Bob", role: nil))).isEmpty)
        #expect(room.peer == bob)
        #expect(room.apply(.peerLeft(Participant(username: "Bob", role: nil))) == [.left(bob)])
        #expect(room.peer == nil)
    }

    @Test("With participant lists, a single leave removes a participant whose join was reported twice")
    func joinReportedTwice() {
        for first in [[RoomEvent.peerJoined(bob), .roomState([bob])], [.roomState([]), .peerJoined(bob)]] {
            var room = presence([joined] + first)
            #expect(room.apply(.peerJoined(bob)) == [.reappeared(bob)])
            #expect(room.apply(.peerLeft(bob)) == [.left(bob)])
            #expect(room.peer == nil)
        }
    }

    @Test("A participant list that arrives after a join does not make the new participant absent")
    func overtakenList() {
        var room = presence([joined, .peerJoined(bob)])
        #expect(room.apply(.roomState([])).isEmpty)
        #expect(room.reachablePeer == bob && !room.isPeerAbsent)
        _ = room.apply(joined)
        #expect(room.apply(.roomState([])) == [.missing(bob)])
    }

    @Test("If one of two participants with the same name and role leaves, the other is still present")
    func twins() {
        var room = presence([joined, .roomState([bob, bob])])
        #expect(room.apply(.peerLeft(bob)).isEmpty)
        #expect(room.peer == bob)
    }

    @Test("A leave without a role is attributed to the peer, even if a namesake has our role")
    func oneName() {
        let namesake = Participant(username: "Bob", role: .caller)
        var room = presence([joined, .peerJoined(namesake), .peerJoined(bob)])
        #expect(room.apply(.peerLeft(Participant(username: "Bob", role: nil))) == [.left(bob)])
        #expect(room.rival == namesake)
    }

    @Test("The leave of a participant whose join was never reported is reported")
    func unknownLeft() {
        var room = presence([joined, .roomSilent])
        #expect(room.isSilent)
        #expect(room.apply(.peerLeft(bob)) == [.left(bob, wasReported: false)])
        #expect(!room.isSilent)
    }

    @Test("After the leave of a participant of our role, an unreported peer may still be present")
    func rivalLeft() {
        var room = presence([joined, .roomSilent])
        #expect(!room.apply(.peerLeft(Participant(username: "Eve", role: .caller))).isEmpty)
        #expect(room.isSilent)
    }

    @Test("The end of a call stops its timers, but not those of the room")
    func timers() {
        var room = presence([joined])
        let kinds: [RoomTimer.Kind] = [
            .peer, .signaling, .ring, .retry, .duration, .hangUp, .pause, .doubt, .silence, .path,
        ]
        let timers = kinds.map { room.arm($0) }
        room.disarmCall()
        #expect(timers.filter { room.isArmed($0) }.map(\.kind) == [.signaling, .pause])
    }

    @Test("If a peer rejoins after our own reconnection, its next leave is reported")
    func bothRejoined() {
        var room = presence([joined, .peerJoined(bob), joined])
        #expect(room.apply(.peerJoined(bob)) == [.reappeared(bob)])
        #expect(room.apply(.peerLeft(Participant(username: "Bob", role: nil))) == [.left(bob)])
    }

    @Test("If a peer stays in the room during our own reconnection, its next leave is reported")
    func stayed() {
        var room = presence([joined, .peerJoined(bob), joined, .roomSilent])
        #expect(room.apply(.peerLeft(Participant(username: "Bob", role: nil))) == [.left(bob)])
    }

    @Test("After a reconnection without a participant list, only participants reported since are present")
    func unconfirmed() {
        var room = presence([joined, .peerJoined(bob), joined])
        #expect(room.peer == bob && room.reachablePeer == nil)
        _ = room.apply(.roomSilent)
        #expect(room.peer == nil)
        _ = room.apply(.peerLeft(Participant(username: "Zoe", role: nil)))
        #expect(room.peer == nil)
        _ = room.apply(.peerJoined(bob))
        #expect(room.peer == bob && room.reachablePeer == bob)
    }

    @Test("A partial participant list marks the room as partial until our next join or a complete list")
    func part() {
        var room = PresenceTracker(role: .caller)
        for (event, isPartial) in [
            (RoomEvent.joined(url: "", transport: ""), false), (.roomState([], isPartial: true), true),
            (.peerJoined(bob), true), (.joined(url: "", transport: ""), false), (.roomState([]), false),
        ] {
            _ = room.apply(event)
            #expect(room.isPartial == isPartial)
        }
    }

    @Test("The number of participants is bounded")
    func flood() {
        var room = PresenceTracker(role: .caller)
        for number in 0..<10_000 {
            _ = room.apply(.peerJoined(Participant(username: "\(number)", role: .callee)))
        }
        _ = room.apply(.roomState([]))
        let changes = room.apply(.roomState([]))
        #expect(changes.count == PresenceTracker.maximumParticipants)
    }

    @Test("After a deliberate rejoin without a participant list, the earlier participants are present")
    func rejoined() {
        var room = presence([joined, .roomSilent, .peerJoined(bob), .rejoining])
        #expect(room.isRejoining && !room.isConnected && room.peer == bob)
        _ = room.apply(joined)
        #expect(room.isRejoining && room.reachablePeer == nil && room.peer == bob)
        _ = room.apply(.roomSilent)
        #expect(!room.isRejoining && room.reachablePeer == bob)
        #expect(room.apply(.peerLeft(Participant(username: "Bob", role: nil))) == [.left(bob)])
    }

    @Test("After a deliberate rejoin, a participant list replaces the earlier participants")
    func rejoinedTold() {
        var room = presence([joined, .roomState([bob]), .rejoining, joined])
        #expect(room.apply(.roomState([])) == [.missing(bob)])
        #expect(room.peer == nil && !room.isRejoining)
    }

    @Test("After a failed rejoin, no participant is known to be present")
    func rejoiningFails() {
        let lost = RoomEvent.disconnected(reason: "refused", retryIn: 1)
        let room = presence([joined, .roomSilent, .peerJoined(bob), .rejoining, lost, joined, .roomSilent])
        #expect(room.peer == nil && !room.isRejoining)
    }
}
