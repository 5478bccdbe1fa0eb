import Basics
import ChatCore
import Testing

@testable import ChatServer

@Suite("Limits, blocks and failures of the chat")
struct ChatHubLimitTests {
    private let rig: HubRig

    init() throws { rig = try HubRig() }

    @Test("A person may send 20 messages at once and then 10 a second, over all sockets together")
    func rate() throws {
        let (one, other) = (try rig.open(20, with: 30), try rig.open(20, with: 31))
        rig.forgetFrames()
        for number in 0..<10 {
            try rig.say("a\(number)", from: one)
            try rig.say("b\(number)", from: other)
        }
        #expect(rig.types(one) + rig.types(other) == Array(repeating: "message", count: 20))
        try rig.say("c", from: one)
        #expect(rig.types(one) == ["error too_fast"])
        rig.advance(.milliseconds(101))
        try rig.say("c", from: one)
        #expect(rig.types(one) == ["message"])
    }

    @Test("Reconnecting does not restore a person's message allowance")
    func rateAfterReconnect() throws {
        var socket = try rig.open(20, with: 30)
        for number in 0..<20 { try rig.say("a\(number)", from: socket) }
        try rig.close(socket)
        socket = try rig.open(20, with: 30)
        _ = rig.take(socket)
        try rig.say("b", from: socket)
        #expect(rig.types(socket) == ["error too_fast"])
    }

    @Test(
        "After four megabytes, the rate of a person's messages and edits is limited, even on new connections"
    )
    func storage() throws {
        var socket = try rig.open(20, with: 30)
        let text = String(repeating: "\u{1F600}", count: ChatLimits.longestText)
        func store(_ count: Int) throws -> Int {
            var stored = 0
            for number in 0..<count {
                rig.advance(.milliseconds(100))
                _ = rig.take(socket)
                let isEdit = number.isMultiple(of: 2)
                try rig.receive(
                    isEdit
                        ? .edit(id: "a", text: text)
                        : .message(id: OutgoingMessage.newID(), text: text, media: nil, replyTo: nil),
                    from: socket
                )
                if rig.types(socket) == [isEdit ? "edit" : "message"] { stored += 1 }
            }
            return stored
        }
        try rig.say("a", from: socket)
        let bytes = text.utf8.count + 256
        let atOnce = try store(400)
        #expect((4_000_000 / bytes...4_200_000 / bytes).contains(atOnce))
        try rig.close(socket)
        rig.advance(.seconds(15))
        socket = try rig.open(20, with: 30)
        _ = rig.take(socket)
        let later = try store(20)
        #expect((3...7).contains(later))
        rig.advance(.seconds(2000))
        #expect(try store(100) == 100)
    }

    @Test("After a refused message, later ones are refused until it is repeated, to preserve the order")
    func orderAfterRefusal() throws {
        let socket = try rig.open(20, with: 30)
        for number in 0..<21 { try rig.say("a\(number)", from: socket) }
        rig.advance(.seconds(1))
        rig.forgetFrames()
        try rig.say("a21", from: socket)
        #expect(rig.types(socket) == ["error too_fast"])
        try rig.say("a20", from: socket)
        try rig.say("a21", from: socket)
        #expect(rig.types(socket) == ["message", "message"])
    }

    @Test("A refused message that is not sent again blocks later messages for at most three seconds")
    func orderForgotten() throws {
        let socket = try rig.open(20, with: 30)
        for number in 0..<21 { try rig.say("a\(number)", from: socket) }
        rig.advance(.seconds(3))
        rig.forgetFrames()
        try rig.say("b", from: socket)
        #expect(rig.types(socket) == ["message"])
    }

    @Test("A plain-protocol client is closed with 1008 for sending too fast, with 1009 for an overlong text")
    func plainLimits() throws {
        let fast = try rig.open(20, with: 30, isExtended: false)
        for _ in 0..<21 { try rig.receive("x", from: fast) }
        #expect(rig.closed == [fast: 1008])
        for text in [String(repeating: "x", count: 4001), String(repeating: "e\u{301}\u{301}", count: 3500)] {
            let long = try rig.open(21, with: 30, isExtended: false)
            try rig.receive(text, from: long)
            #expect(rig.closed[long] == 1009)
        }
        let short = try rig.open(22, with: 30, isExtended: false)
        try rig.receive(String(repeating: "🙂", count: 4000), from: short)
        try rig.receive("   ", from: short)
        #expect(rig.closed[short] == nil && rig.types(short) == ["history", "message"])
    }

    @Test("With the extended protocol, a text that is too long is answered with an error")
    func longText() throws {
        let socket = try rig.open(20, with: 30)
        rig.forgetFrames()
        try rig.say("m", String(repeating: "x", count: 4001), from: socket)
        #expect(rig.types(socket) == ["error too_long"])
        try rig.say("n", String(repeating: "x", count: 4000), from: socket)
        #expect(rig.types(socket) == ["message"])
    }

    @Test("A person's ninth socket is closed, and the other eight stay open")
    func sockets() throws {
        let sockets = try (0..<9).map { _ in try rig.open(20, with: 30) }
        #expect(rig.closed == [sockets[8]: 1008])
        #expect(rig.types(sockets[8]) == ["error too_many"])
        try rig.close(sockets[0])
        let next = try rig.open(20, with: 30)
        #expect(rig.closed[next] == nil && rig.hub.socketCount == 8)
    }

    @Test("A person who opens sockets too fast is refused with close code 1013")
    func openings() throws {
        for _ in 0..<40 { try rig.close(rig.open(20, with: 30)) }
        let refused = try rig.open(20, with: 30)
        #expect(rig.closed == [refused: 1013])
        rig.advance(.seconds(1))
        #expect(try rig.closed[rig.open(20, with: 30)] == nil)
    }

    @Test("The number and the bytes of operations that wait for storage are limited")
    func waiting() throws {
        rig.isHeld = true
        let text = String(repeating: "ж", count: 4000)
        var sockets: [Int] = []
        for person in 100..<999 {
            sockets.append(try rig.open(person, with: 20))
            for number in 0..<20 { try rig.say("\(person)-\(number)", text, from: sockets.last ?? 0) }
        }
        #expect(rig.hub.waiting <= ChatHub.mostOperations)
        #expect(rig.hub.waitingBytes < ChatHub.mostWaitingBytes + 20_000)
        #expect(rig.closed.values.allSatisfy { $0 == 1013 } && !rig.closed.isEmpty)
        try rig.finish()
        #expect(rig.hub.waiting == 0 && rig.hub.waitingBytes == 0)
    }

    @Test("Frames of an unknown type count towards the rate limit, and many long ones close the connection")
    func unknownFrames() throws {
        let socket = try rig.open(20, with: 30)
        rig.forgetFrames()
        for _ in 0..<ChatLimits.burst { try rig.receive(#"{"type":"x"}"#, from: socket) }
        #expect(rig.types(socket) == [])
        try rig.receive(#"{"type":"x"}"#, from: socket)
        #expect(rig.types(socket) == ["error too_fast"])
        let long = #"{"type":"\#(String(repeating: "x", count: 65_000))"}"#
        for _ in 0..<31 { try rig.receive(long, from: socket) }
        #expect(rig.closed == [:])
        try rig.receive(long, from: socket)
        #expect(rig.closed == [socket: 1008])
    }

    @Test("A pending search does not delay messages, and each person may have one search at a time")
    func searches() throws {
        let sockets = try (0..<ChatHub.mostSearches + 1).map { try rig.open(100 + $0, with: 20) }
        rig.forgetFrames()
        rig.isHeld = true
        for socket in sockets { try rig.receive(.search("x"), from: socket) }
        try rig.receive(.search("y"), from: sockets[0])
        #expect(rig.take(sockets[0]).count == 1 && rig.types(sockets[ChatHub.mostSearches]) == ["error busy"])
        #expect(rig.hub.waiting == 0 && rig.hub.searching.count == ChatHub.mostSearches)
        try rig.finish()
        #expect(rig.types(sockets[0]) == ["search"] && rig.hub.searching.isEmpty && rig.hub.waiting == 0)
        try rig.receive(.search("y"), from: sockets[0])
        try rig.fail()
        #expect(rig.hub.searching.isEmpty && rig.closed == [sockets[0]: 1011])
    }

    @Test("A blocked person is not notified when the blocker connects or disconnects")
    func hiddenPresence() throws {
        let blocker = try rig.open(1001, with: 1002)
        let blocked = try rig.open(1002, with: 1001)
        let inbox = try rig.open(1002, with: nil)
        try rig.receive(.block(person: 1002), from: blocker)
        rig.forgetFrames()
        for _ in 0..<3 { try rig.close(rig.open(1001, with: nil)) }
        try rig.close(blocker)
        try rig.open(1001, with: nil)
        #expect(rig.take(blocked) == [] && rig.take(inbox) == [])
        // Somebody without an account may be the blocked person as well, also under the ID of a simulated person.
        #expect(!rig.hub.isOnline(1001) && rig.hub.isOnline(1001, for: 1003))
        for viewer in [1, 15, 16, 999] { #expect(!rig.hub.isOnline(1001, for: viewer), "\(viewer)") }
    }

    @Test("Guests receive no presence of a person who has blocked somebody")
    func guests() throws {
        let guest = try rig.open(777, with: 1004)
        let other = try rig.open(1005, with: 1004)
        let blocker = try rig.open(1004, with: 1003)
        #expect(rig.types(guest).contains("presence"))
        rig.forgetFrames()
        try rig.receive(.block(person: 1003), from: blocker)
        #expect(rig.take(guest) == [#"{"type":"presence","userId":1004,"isOnline":false}"#])
        #expect(rig.take(other) == [])
        try rig.say("m", from: guest)
        try rig.receive(.call(room: 1), from: guest)
        for _ in 0..<3 { try rig.close(rig.open(1004, with: nil)) }
        try rig.close(blocker)
        #expect(rig.types(guest) == ["message", "error offline"])
        #expect(rig.types(other).allSatisfy { $0 == "presence" })
        let again = try rig.open(1004, with: 777)
        try rig.receive(.read(id: "m"), from: again)
        #expect(rig.types(guest) == [])
        try rig.receive(.unblock(person: 1003), from: again)
        #expect(rig.take(guest) == [#"{"type":"presence","userId":1004,"isOnline":true}"#])
    }

    @Test("Read marks of a blocked person do not reach the blocker")
    func marksOfBlocked() throws {
        let (blocker, blocked) = (try rig.open(20, with: 30), try rig.open(30, with: 20))
        try rig.say("m", from: blocker)
        try rig.receive(.block(person: 30), from: blocker)
        rig.forgetFrames()
        try rig.receive(.read(id: "m"), from: blocked)
        #expect(rig.types(blocker) == [])
    }

    @Test("A new conversation has no greetings if a person in it has an account or has blocked the other")
    func greetings() throws {
        try rig.open(1001, with: 1002)
        #expect(try rig.store.texts(1001, 1002) == [])
        #expect(rig.types(try rig.open(1002, with: nil)).contains("conversations"))
        let blocker = try rig.open(20, with: 31)
        try rig.receive(.block(person: 30), from: blocker)
        try rig.open(30, with: 20)
        #expect(try rig.store.texts(20, 30) == [])
        try rig.open(32, with: 20)
        #expect(try rig.store.texts(20, 32) == ["Hi there!", "Hello!"])
        try rig.say("m", from: try rig.open(1002, with: 1001))
        #expect(try rig.store.texts(1001, 1002) == ["hi"])
    }

    @Test("A blocked person sees the blocker as offline and can neither write nor call")
    func blocks() throws {
        let blocker = try rig.open(20, with: 30)
        let (pair, inbox) = (try rig.open(30, with: 20), try rig.open(30, with: nil))
        try rig.say("m", from: pair)
        rig.forgetFrames()
        try rig.receive(.block(person: 30), from: blocker)
        #expect(rig.take(pair) == [#"{"type":"presence","userId":20,"isOnline":false}"#])
        #expect(rig.types(inbox) == ["presence"])
        #expect(
            !rig.hub.isOnline(20, for: 30) && rig.hub.isOnline(20, for: 31) && rig.hub.isOnline(30, for: 20)
        )
        for request in [
            ChatRequest.message(id: "n", text: "x", media: nil, replyTo: nil), .edit(id: "m", text: "x"),
            .reaction(id: "m", .like, isAdded: true), .call(room: 1), .hangUp(room: 1), .typing,
        ] {
            try rig.receive(request, from: pair)
        }
        #expect(rig.types(pair) == ["error blocked", "error blocked", "error blocked", "error offline"])
        try rig.say("o", with: 20, from: inbox)
        // The own device alone learns of the hang-up.
        #expect(rig.types(inbox) == ["hangup", "error blocked"] && rig.types(blocker) == [])
        let plain = try rig.open(30, with: 20, isExtended: false)
        try rig.receive("x", from: plain)
        #expect(rig.closed == [plain: 1008])
        #expect(try rig.store.texts(20, 30).last == "hi")
    }

    @Test("No action of the blocker reveals to the blocked person that the blocker is online")
    func hiddenSigns() throws {
        let pair = try rig.open(30, with: 20)
        try rig.say("m", from: pair)
        rig.hub.blocks = [20: [30]]
        rig.forgetFrames()
        let blocker = try rig.open(20, with: 30)
        try rig.receive(.read(id: "m"), from: blocker)
        try rig.receive(.typing, from: blocker)
        try rig.close(blocker)
        for frame in rig.take(pair) { #expect(frame.contains(#""isOnline":false"#)) }
        let again = try rig.open(30, with: 20)
        #expect(rig.types(again) == ["hello", "history", "presence"])
    }

    @Test("An unblocked person sees the blocker's presence again and may write")
    func unblocking() throws {
        let (blocker, pair) = (try rig.open(20, with: 30), try rig.open(30, with: 20))
        try rig.receive(.block(person: 30), from: blocker)
        rig.forgetFrames()
        try rig.receive(.unblock(person: 30), from: blocker)
        #expect(rig.take(pair) == [#"{"type":"presence","userId":20,"isOnline":true}"#])
        try rig.say("m", from: pair)
        #expect(rig.types(pair) == ["message", "delivered"])
    }

    @Test("A stored block is reported to all inboxes of the blocker, and to each inbox that opens later")
    func blocksAreTold() throws {
        let (pair, inbox) = (try rig.open(20, with: 30), try rig.open(20, with: nil))
        let others = try rig.open(30, with: nil)
        rig.forgetFrames()
        rig.isHeld = true
        try rig.receive(.block(person: 30), from: inbox)
        #expect(rig.take(inbox) == [])
        try rig.finish()
        #expect(rig.take(inbox) == [ChatEventEnvelope(.blocked([30])).text] && rig.take(pair) == [])
        rig.isHeld = false
        let second = try rig.open(20, with: nil)
        #expect(rig.types(second).prefix(3) == ["hello", "conversations", "blocked"])
        try rig.receive(.unblock(person: 30), from: pair)
        for inbox in [inbox, second] {
            #expect(rig.take(inbox).last == ChatEventEnvelope(.blocked([])).text)
        }
        #expect(!rig.types(others).contains("blocked"))
    }

    @Test("A report about a person is confirmed only to its sender")
    func reports() throws {
        let (inbox, other) = (try rig.open(20, with: nil), try rig.open(30, with: nil))
        rig.forgetFrames()
        try rig.receive(.report(person: 30, reason: "spam"), from: inbox)
        #expect(rig.take(inbox) == [ChatEventEnvelope(.reported(person: 30)).text] && rig.take(other) == [])
    }

    @Test("A storage failure closes the sockets with pending requests, and reverts pending blocks")
    func storageFailure() throws {
        let (one, other) = (try rig.open(20, with: 30), try rig.open(30, with: 20))
        rig.isHeld = true
        try rig.say("m", from: one)
        try rig.receive(.block(person: 30), from: one)
        try rig.say("n", from: one)
        rig.forgetFrames()
        try rig.fail()
        #expect(rig.closed == [one: 1011] && rig.types(other).contains("presence"))
        #expect(rig.hub.blocks == [:] && rig.hub.waiting == 0)
        rig.isHeld = false
        #expect(try rig.store.texts(20, 30) == ["Hi there!", "Hello!"])
    }
}
