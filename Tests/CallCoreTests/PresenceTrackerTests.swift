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

    @Test("Only a participant of the opposite or of an unknown role is a peer")
    func roles() {
        let carl = Participant(username: "Carl", role: .caller)
        #expect(presence([.peerJoined(carl)]).peer == nil)
        #expect(presence([.peerJoined(carl)]).rival == carl)
        #expect(presence([.peerJoined(carl), .peerJoined(bob)]).peer == bob)
        let withoutRole = Participant(username: "Bob", role: nil)
        #expect(presence([.peerJoined(withoutRole)]).peer == withoutRole)
    }

    @Test("A list of known participants reports no join")
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

    @Test("A participant reported twice by a server that lists participants leaves once")
    func joinReportedTwice() {
        for first in [[RoomEvent.peerJoined(bob), .roomState([bob])], [.roomState([]), .peerJoined(bob)]] {
            var room = presence([joined] + first)
            #expect(room.apply(.peerJoined(bob)) == [.reappeared(bob)])
            #expect(room.apply(.peerLeft(bob)) == [.left(bob)])
            #expect(room.peer == nil)
        }
    }

    @Test("A list overtaken by the join of a participant does not make it absent")
    func overtakenList() {
        var room = presence([joined, .peerJoined(bob)])
        #expect(room.apply(.roomState([])).isEmpty)
        #expect(room.reachablePeer == bob && !room.isPeerAbsent)
        _ = room.apply(joined)
        #expect(room.apply(.roomState([])) == [.missing(bob)])
    }

    @Test("One of two participants with the same name and role may leave while the other stays in the room")
    func twins() {
        var room = presence([joined, .roomState([bob, bob])])
        #expect(room.apply(.peerLeft(bob)).isEmpty)
        #expect(room.peer == bob)
    }

    @Test("A leave without a role counts as the peer's if another participant has the same name")
    func oneName() {
        let namesake = Participant(username: "Bob", role: .caller)
        var room = presence([joined, .peerJoined(namesake), .peerJoined(bob)])
        #expect(room.apply(.peerLeft(Participant(username: "Bob", role: nil))) == [.left(bob)])
        #expect(room.rival == namesake)
    }

    @Test("The leave of a participant that was never reported is reported nevertheless")
    func unknownLeft() {
        var room = presence([joined, .roomSilent])
        #expect(room.isSilent)
        #expect(room.apply(.peerLeft(bob)) == [.left(bob, wasReported: false)])
        #expect(!room.isSilent)
    }

    @Test("The leave of a participant of our own role keeps a silent room silent")
    func rivalLeft() {
        var room = presence([joined, .roomSilent])
        #expect(!room.apply(.peerLeft(Participant(username: "Eve", role: .caller))).isEmpty)
        #expect(room.isSilent)
    }

    @Test("The timers of a call end with it, and those of the room continue")
    func timers() {
        var room = presence([joined])
        let kinds: [RoomTimer.Kind] = [
            .peer, .signaling, .ring, .retry, .duration, .hangUp, .pause, .doubt, .silence, .path,
        ]
        let timers = kinds.map { room.arm($0) }
        room.disarmCall()
        #expect(timers.filter { room.isArmed($0) }.map(\.kind) == [.signaling, .pause])
    }

    @Test("A peer that comes back after our own reconnection has one socket, and can leave")
    func bothRejoined() {
        var room = presence([joined, .peerJoined(bob), joined])
        #expect(room.apply(.peerJoined(bob)) == [.reappeared(bob)])
        #expect(room.apply(.peerLeft(Participant(username: "Bob", role: nil))) == [.left(bob)])
    }

    @Test("A peer that stayed in the room during our own reconnection can leave")
    func stayed() {
        var room = presence([joined, .peerJoined(bob), joined, .roomSilent])
        #expect(room.apply(.peerLeft(Participant(username: "Bob", role: nil))) == [.left(bob)])
    }

    @Test("After a reconnection to a silent server, nobody counts as present until reported")
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

    @Test("A room is partial from a partial list until the next join or list")
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

    @Test("After a deliberate rejoin, a silent server still has the earlier participants")
    func rejoined() {
        var room = presence([joined, .roomSilent, .peerJoined(bob), .rejoining])
        #expect(room.isRejoining && !room.isConnected && room.peer == bob)
        _ = room.apply(joined)
        #expect(room.isRejoining && room.reachablePeer == nil && room.peer == bob)
        _ = room.apply(.roomSilent)
        #expect(!room.isRejoining && room.reachablePeer == bob)
        #expect(room.apply(.peerLeft(Participant(username: "Bob", role: nil))) == [.left(bob)])
    }

    @Test("After a deliberate rejoin, the list of the server replaces the earlier participants")
    func rejoinedTold() {
        var room = presence([joined, .roomState([bob]), .rejoining, joined])
        #expect(room.apply(.roomState([])) == [.missing(bob)])
        #expect(room.peer == nil && !room.isRejoining)
    }

    @Test("After a failed rejoin no participant is known to be present")
    func rejoiningFails() {
        let lost = RoomEvent.disconnected(reason: "refused", retryIn: 1)
        let room = presence([joined, .roomSilent, .peerJoined(bob), .rejoining, lost, joined, .roomSilent])
        #expect(room.peer == nil && !room.isRejoining)
    }
}
