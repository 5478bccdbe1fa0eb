import Basics
import CallCore
import Testing

@testable import SignalingServer

@Suite struct RemotePresenceTests {
    private let room: RoomID
    private let bob: RemoteMember
    private let ann: RemoteMember
    private var presence = RemotePresence()

    init() throws {
        room = try RoomID("1")
        bob = try Self.member("Bob", .callee, sid: "b", node: "~1", room: room)
        ann = try Self.member("Ann", .caller, sid: "a", node: "~2", room: room)
    }

    private static func member(
        _ name: String,
        _ role: Role,
        sid: String,
        node: String,
        room: RoomID
    ) throws -> RemoteMember {
        RemoteMember(
            node: node,
            sid: sid,
            identity: Identity(username: try Username(name), room: room),
            role: role
        )
    }

    private mutating func reconcile(
        _ present: [RemoteMember],
        isSettled: Bool,
        hasSeats: Bool = true,
        except updates: [String: Int] = [:]
    ) -> (left: [RemoteMember], joined: [RemoteMember]) {
        presence.reconcile(room, with: present, isSettled: isSettled, hasSeats: hasSeats, except: updates) {
            $0.first == "~"
        }
    }

    private mutating func remove(_ name: String, _ role: Role?, of node: String, sid: String?) throws
        -> RemoteMember?
    {
        let isOurs = node.first == "~"
        return presence.remove(try Username(name), role, of: node, sid: sid, isOurs: isOurs, from: room)
    }

    @Test("A repeated join or departure of the same member is ignored")
    mutating func oneJoinAndOneLeave() throws {
        let wereAdded = [presence.add(bob), presence.add(bob)]
        #expect(wereAdded == [true, false])
        #expect(try remove("Bob", .callee, of: "~1", sid: "b") == bob)
        #expect(try remove("Bob", .callee, of: "~1", sid: "b") == nil)
    }

    @Test("A renamed member is reported as left and joined", arguments: [false, true])
    mutating func renamedMember(isSettled: Bool) throws {
        _ = presence.add(bob)
        let rob = try Self.member("Rob", .callee, sid: "b", node: "~1", room: room)
        let late = reconcile([rob], isSettled: isSettled, hasSeats: false, except: ["b": 0])
        #expect(late.left.isEmpty && late.joined.isEmpty)
        let changes = reconcile([rob], isSettled: isSettled, hasSeats: false)
        #expect(changes.left == [bob])
        #expect(changes.joined == [rob])
        let again = [presence.rename(rob), presence.rename(bob)]
        #expect(again == [nil, rob])
    }

    @Test("The departure of an earlier socket does not remove a member that has a newer socket")
    mutating func earlierSocketOfSameName() throws {
        _ = presence.add(bob)
        #expect(try remove("Bob", .callee, of: "~1", sid: "earlier") == nil)
        #expect(presence.members(of: room) == [bob])
    }

    @Test("A departure from a Node.js server may omit the socket and the role")
    mutating func missingSocketAndRole() throws {
        let foreign = try Self.member("Zoe", .caller, sid: "z", node: "Jvhtew", room: room)
        _ = presence.add(foreign)
        #expect(try remove("Zoe", nil, of: "other0", sid: nil) == nil)
        #expect(try remove("Zoe", nil, of: "Jvhtew", sid: nil) == foreign)
    }

    @Test("A member missing from Redis is announced as left only after the recovery from an outage")
    mutating func missingMemberMayReturn() {
        _ = presence.add(bob)
        let early = reconcile([ann], isSettled: false).left
        #expect(early == [])
        let settled = reconcile([ann], isSettled: true).left
        #expect(settled == [bob])
        #expect(presence.members(of: room) == [ann])
    }

    @Test("A member is reported as left if Redis lists another member with its role")
    mutating func seatOfAnother() throws {
        let rob = try Self.member("Rob", .callee, sid: "r", node: "~2", room: room)
        _ = presence.add(bob)
        let changes = reconcile([rob], isSettled: false)
        #expect(changes.left == [bob])
        #expect(changes.joined == [rob])
    }

    @Test("In an open room, members with the same role do not replace each other")
    mutating func openRoomHasNoSeats() throws {
        let rob = try Self.member("Rob", .callee, sid: "r", node: "~2", room: room)
        _ = presence.add(bob)
        let left = reconcile([rob], isSettled: false, hasSeats: false).left
        #expect(left == [])
        #expect(presence.members(of: room) == [bob, rob])
    }

    @Test("Joins and departures received since a query take precedence over its reply")
    mutating func updatesBeforeAnswer() throws {
        _ = presence.add(bob)
        let changes = reconcile([ann], isSettled: true, except: ["a": 0, "b": 0])
        #expect(changes.left == [])
        #expect(changes.joined == [])
    }

    @Test("The number of remote members is limited to the room's capacity")
    mutating func memberLimit() throws {
        presence = RemotePresence(capacity: 1)
        let wereAdded = [presence.add(bob), presence.add(ann)]
        #expect(wereAdded == [true, false])
    }

    @Test("A member that moves to a socket that is already listed is listed once")
    mutating func moveToKnownSocket() throws {
        let moved = try Self.member("Bob", .callee, sid: "b2", node: "~3", room: room)
        _ = (presence.add(bob), presence.add(ann), presence.add(moved))
        let isKnown = presence.replace(sid: "b", with: moved)
        #expect(isKnown)
        #expect(presence.members(of: room) == [moved, ann])
    }

    @Test("Members on Node.js servers remain although they have no entries in Redis")
    mutating func foreignMembersHaveNoSeats() throws {
        let foreign = try Self.member("Zoe", .caller, sid: "z", node: "Jvhtew", room: room)
        _ = presence.add(foreign)
        let left = reconcile([], isSettled: true).left
        #expect(left == [])
    }

    @Test("Removing a server removes all its members")
    mutating func removedServer() {
        _ = (presence.add(bob), presence.add(ann))
        let gone = presence.remove(node: "~1")
        #expect(gone == [bob])
        #expect(presence.nodes == ["~2"])
    }

    @Test("A member that moves keeps its position in the list")
    mutating func moveKeepsSeat() throws {
        let moved = try Self.member("Bob", .callee, sid: "b2", node: "~3", room: room)
        _ = (presence.add(bob), presence.add(ann))
        let isKnown = presence.replace(sid: "b", with: moved)
        #expect(isKnown)
        #expect(presence.members(of: room) == [moved, ann])
        let isKnownStill = presence.replace(sid: "b", with: moved)
        #expect(!isKnownStill)
    }

    @Test("A member's role is decoded from a Boolean, a string or a number")
    func memberEncodings() {
        let presenceChanges: [(JSON, Role)] = [
            (["username": "Bob", "isCaller": true], .caller),
            (["username": "Bob", "isCaller": "true"], .caller),
            (["username": "Bob", "isCaller": 1], .caller),
            (["username": "Bob", "isCaller": "false"], .callee),
            (["username": "Bob"], .callee),
        ]
        for (json, role) in presenceChanges {
            #expect(RemoteMember(parsing: json, node: "n", sid: nil, room: room)?.role == role)
        }
        #expect(RemoteMember(parsing: ["username": ""], node: "n", sid: nil, room: room) == nil)
        #expect(RemoteMember(parsing: 1, node: "n", sid: nil, room: room) == nil)
    }

    @Test("A member's entry in Redis is decoded unchanged, and invalid entries are rejected")
    func memberRoundTrip() throws {
        var member = bob
        member.keyHash = "abc"
        #expect(RemoteMember(try JSON(parsing: member.json.serialized()), room: room) == member)
        let long = String(repeating: "x", count: 65)
        let place: JSONObject = ["node": "~1", "sid": "a", "username": "Bob", "isCaller": true]
        var (longSocket, longKey) = (place, place)
        (longSocket["sid"], longKey["key"]) = (.string(long), .string(long))
        #expect(RemoteMember(.object(place), room: room) != nil)
        for json: JSON in [[:], ["node": "", "sid": "a"], .object(longSocket), .object(longKey), 1] {
            #expect(RemoteMember(json, room: room) == nil)
        }
    }
}
