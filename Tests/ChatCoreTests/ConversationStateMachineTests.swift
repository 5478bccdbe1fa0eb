import Basics
import Testing

@testable import ChatCore

@Suite("A conversation")
struct ConversationStateMachineTests {
    private typealias Rig = ConversationRig

    @Test("Starting twice opens only one connection")
    func startTwice() {
        var rig = Rig()
        #expect(rig.effects == [.connect(connection: 1)])
        rig.handle(.start)
        #expect(rig.effects.isEmpty)
        rig.open()
        rig.handle(.start)
        #expect(rig.effects.isEmpty)
    }

    @Test("A stop closes the connection, and later events of the connection are ignored")
    func stop() {
        var rig = Rig.open()
        rig.handle(.stop)
        #expect(rig.effects == [.disconnect(connection: 1)] && rig.machine.state.link == .closed)
        rig.receive(.message(.from(2, to: 101, "late", id: "m")))
        rig.lose()
        #expect(rig.effects.isEmpty && rig.texts.isEmpty)
    }

    @Test(
        "The first history replaces the stored messages unless it continues them; repeated messages are ignored"
    )
    func history() {
        var rig = Rig(kept: [.from(2, to: 101, "old", id: "m-1")], mode: .extended)
        #expect(rig.texts == ["old"] && rig.machine.state.isLoaded)
        rig.open([.from(2, to: 101, "far newer", id: "m-9")], hasMore: true)
        #expect(rig.texts == ["far newer"] && rig.machine.state.hasMore)
        rig.receive(.message(.from(2, to: 101, "next", id: "m-10")))
        rig.receive(.message(.from(2, to: 101, "next", id: "m-10")))
        #expect(rig.texts == ["far newer", "next"])
        rig.lose()
        rig.end(.reconnect)
        rig.open([.from(2, to: 101, "next", id: "m-10"), .from(2, to: 101, "missed", id: "m-11")])
        #expect(rig.texts == ["far newer", "next", "missed"])
        #expect(rig.reports == [.received(.from(2, to: 101, "missed", id: "m-11"))])
    }

    @Test(
        "Equal messages without IDs are distinct, and a repeated history of an original server adds no duplicates"
    )
    func equalMessages() {
        let twice = [ChatMessage.plain("Ann", to: "101", "hi"), .plain("Ann", to: "101", "hi")]
        var rig = Rig.open(extended: false, twice)
        #expect(rig.texts == ["hi", "hi"] && Set(rig.machine.state.items.map(\.key)).count == 2)
        rig.lose()
        rig.end(.reconnect)
        rig.open(extended: false, twice + [.plain("Ann", to: "101", "new")])
        #expect(rig.texts == ["hi", "hi", "new"] && rig.reports.count == 1)
    }

    @Test("A frame without a required member reports one error, and the connection stays open")
    func missingMember() {
        var rig = Rig.open()
        rig.handle(.frame(#"{"type":"message","item":{"from":"Ann"}}"#, connection: 1))
        #expect(rig.effects == [.report(.failed(.decodingFailed("timestamp")))])
        #expect(rig.machine.state.link == .open)
        rig.handle(.frame(#"{"type":"poll"}"#, connection: 1))
        #expect(rig.effects.isEmpty)
    }

    @Test("A close with code 1000 ends the conversation without an error")
    func closed() {
        var rig = Rig.open()
        rig.lose(code: 1000)
        #expect(rig.effects.isEmpty && rig.machine.state.link == .closed)
    }

    @Test("The waits before reconnecting double from 0.5 to 8 s ± 50 %, and restart after a connection")
    func backoff() throws {
        var rig = Rig()
        for expected in [0.5, 1, 2, 4, 8, 8] {
            rig.lose(code: 1006)
            let wait = try #require(rig.wait) / .seconds(1)
            #expect(wait >= expected * 0.5 && wait <= min(expected * 1.5, 8))
            #expect(rig.reports.count == 1)
            rig.end(.reconnect)
            #expect(rig.effects == [.connect(connection: rig.connection)])
        }
        rig.open()
        rig.lose()
        #expect(try #require(rig.wait) <= .milliseconds(750))
        // A person need not wait.
        rig.handle(.command(.reconnect))
        #expect(rig.effects == [.connect(connection: rig.connection)])
    }

    @Test("A connection on which the server sends no first frame in time is closed and opened again later")
    func silence() {
        var rig = Rig()
        rig.handle(.opened(connection: 1))
        rig.end(.firstFrame)
        #expect(rig.effects.first == .disconnect(connection: 1) && rig.wait != nil)
    }

    // MARK: Sending

    @Test("A text is trimmed, stored locally before it is sent, and confirmed by the echo of its ID")
    func send() throws {
        var rig = Rig.open()
        rig.send("  \n", id: "a")
        #expect(rig.effects.isEmpty)
        rig.send(" hi \n", id: "b")
        guard case .keep(let kept) = try #require(rig.effects.first) else {
            Issue.record("it is not kept first")
            return
        }
        #expect(kept.map(\.text) == ["hi"] && rig.sent == [Rig.frame("hi", id: "b")])
        #expect(rig.progress == [.sending] && rig.machine.state.waitingMessages == 1)
        let stored = ChatMessage.from(101, to: 2, "hi", id: "b")
        rig.receive(.message(stored))
        #expect(rig.progress == [.stored] && rig.reports == [.stored(stored)])
        #expect(rig.effects.contains(.keep([])))
    }

    @Test("Messages to an extended server wait for a connection, and are then sent in order and only once")
    func offline() {
        var rig = Rig.open()
        rig.lose()
        rig.send("one", id: "a")
        rig.send("two", id: "b")
        #expect(rig.sent.isEmpty && rig.progress == [.waiting, .waiting])
        rig.handle(.command(.reconnect))
        rig.open()
        // The second one waits for the first one, so that their order stays.
        #expect(rig.sent == [Rig.frame("one", id: "a")])
        rig.receive(.message(.from(101, to: 2, "one", id: "a")))
        #expect(rig.sent == [Rig.frame("two", id: "b")])
        rig.receive(.message(.from(101, to: 2, "two", id: "b")))
        #expect(rig.sent.isEmpty && rig.progress == [.stored, .stored])
    }

    @Test("A message whose echo was lost is sent again with the same ID, unless the history contains it")
    func lostEcho() {
        var rig = Rig.open()
        rig.send("one", id: "a")
        rig.lose()
        rig.end(.reconnect)
        rig.open()
        #expect(rig.sent == [Rig.frame("one", id: "a")])
        rig.lose()
        rig.end(.reconnect)
        rig.open([.from(101, to: 2, "one", id: "a")])
        #expect(rig.sent.isEmpty && rig.progress == [.stored])
    }

    @Test("Unsent messages of an earlier process are sent by the next process")
    func keptOutbox() {
        let kept = OutgoingMessage(id: "a", text: "kept", time: ChatTime(microseconds: 0))
        var rig = Rig(outbox: [kept], mode: .extended)
        #expect(rig.progress == [.waiting])
        rig.open()
        #expect(rig.sent == [Rig.frame("kept", id: "a")])
    }

    @Test("While a server with the original protocol is not connected, a message fails and is not sent later")
    func plainOffline() {
        var rig = Rig.open(extended: false)
        rig.lose()
        rig.send("one", id: "a")
        #expect(rig.reports == [.notSent(key: "a", text: "one", .notConnected)])
        rig.end(.reconnect)
        rig.handle(.command(.reconnect))
        rig.open(extended: false)
        #expect(rig.sent.isEmpty && rig.progress == [.notSent(.notConnected)])
    }

    @Test("A message to an original server is sent as plain text and confirmed by an echo of the text")
    func plain() {
        var rig = ConversationRig(name: "You")
        rig.open(extended: false)
        rig.send("hi", id: "a")
        #expect(rig.sent == ["hi"])
        rig.receive(.message(.plain("You", to: "Ann", "hi")))
        #expect(rig.progress == [.stored] && rig.machine.state.waitingMessages == 0)
    }

    @Test(
        "After a lost connection to an original server, a message is not sent again, but a history can confirm it",
        arguments: [
            true, false,
        ]
    )
    func plainLoss(isInHistory: Bool) {
        var rig = ConversationRig(name: "You")
        rig.open(extended: false)
        rig.send("hi", id: "a")
        rig.lose()
        #expect(rig.progress == [.notSent(.notConnected)])
        rig.handle(.command(.reconnect))
        rig.open(extended: false, isInHistory ? [.plain("You", to: "Ann", "hi")] : [])
        #expect(rig.sent.isEmpty)
        #expect(rig.progress == [isInHistory ? .stored : .notSent(.notConnected)])
    }

    @Test("A message that an earlier process may have sent to an original server is not sent again")
    func plainKept() {
        let kept = OutgoingMessage(id: "a", text: "kept", time: ChatTime(microseconds: 0))
        var rig = Rig(outbox: [kept], mode: .plain)
        rig.open(extended: false)
        #expect(rig.sent.isEmpty && rig.progress == [.notSent(.notConnected)])
    }

    @Test("A server that no longer has the extended protocol receives plain text and no queued messages")
    func downgrade() {
        let kept = OutgoingMessage(id: "a", text: "kept", time: ChatTime(microseconds: 0))
        var rig = Rig(outbox: [kept], mode: .extended)
        rig.open(extended: false)
        #expect(rig.machine.state.mode == .plain && rig.sent.isEmpty)
        rig.send("hi", id: "b")
        #expect(rig.sent == ["hi"])
    }

    @Test("Before the protocol of the server is known, sending a message without a connection fails")
    func unknownServer() {
        var rig = Rig()
        rig.send("hi", id: "a")
        #expect(rig.reports == [.notSent(key: "a", text: "hi", .notConnected)])
    }

    @Test("A message refused as too fast is sent again after a second, before the messages that follow it")
    func tooFast() {
        var rig = Rig.open()
        rig.send("one", id: "a")
        rig.send("two", id: "b")
        rig.receive(.error(code: "too_fast", message: "slowly", reference: "a"))
        #expect(rig.sent.isEmpty && rig.reports.isEmpty && rig.progress == [.waiting, .waiting])
        rig.end(.pace)
        #expect(rig.sent == [Rig.frame("one", id: "a")])
    }

    @Test("If a message is not confirmed in time, the connection is replaced and the message sent again")
    func confirmation() {
        var rig = Rig.open()
        rig.send("one", id: "a")
        rig.end(.confirmation)
        #expect(rig.effects.first == .disconnect(connection: 1))
        rig.end(.reconnect)
        rig.open()
        #expect(rig.sent == [Rig.frame("one", id: "a")])
    }

    @Test("A refused message is shown as not sent until the user retries or deletes it")
    func refused() {
        var rig = Rig.open()
        rig.send("one", id: "a")
        rig.receive(.error(code: "blocked", message: "no", reference: "a"))
        let error = ChatError.refused(code: "blocked", message: "no")
        #expect(rig.reports == [.notSent(key: "a", text: "one", error)])
        #expect(rig.progress == [.notSent(error)])
        rig.handle(.command(.retry(key: "a")))
        #expect(rig.sent == [Rig.frame("one", id: "a")])
        rig.receive(.error(code: "blocked", message: "no", reference: "a"))
        rig.handle(.command(.discard(key: "a")))
        #expect(rig.effects == [.keep([])] && rig.texts.isEmpty)
    }

    @Test("A refused message does not delay the next one, and the connection does not count as silent")
    func refusedBeforeOthers() {
        var rig = Rig.open()
        rig.send("one", id: "a")
        rig.send("two", id: "b")
        #expect(rig.sent.isEmpty)
        rig.receive(.error(code: "blocked", message: "no", reference: "a"))
        #expect(rig.sent == [Rig.frame("two", id: "b")])
        rig.receive(.message(.from(101, to: 2, "two", id: "b")))
        rig.end(.confirmation)
        #expect(
            rig.machine.state.link == .open
                && rig.progress == [.stored, .notSent(.refused(code: "blocked", message: "no"))]
        )
    }

    @Test("A typing signal refused as too fast is not reported as an error")
    func typingTooFast() {
        var rig = Rig.open()
        rig.receive(.error(code: "too_fast", message: "too many", reference: nil))
        #expect(rig.reports.isEmpty)
    }

    @Test("Messages older than the stored ones are fetched until the server has no more")
    func olderThanKept() {
        let messages = (1...3).map { ChatMessage.from(2, to: 101, "text \($0)", id: "m-\($0)") }
        var rig = Rig(kept: [messages[1], messages[2]], mode: .extended)
        rig.open([messages[2]], hasMore: true)
        #expect(rig.texts == ["text 2", "text 3"] && rig.machine.state.hasMore)
        rig.handle(.command(.loadOlder))
        #expect(rig.sent == [ChatRequest.Envelope(.history(before: "m-2", limit: 50)).text])
        rig.receive(.history([messages[0]], before: "m-2", hasMore: false))
        #expect(rig.texts == ["text 1", "text 2", "text 3"] && !rig.machine.state.hasMore)
        // Another connection changes nothing in that.
        rig.lose()
        rig.end(.reconnect)
        rig.open([messages[2]], hasMore: true)
        #expect(rig.texts == ["text 1", "text 2", "text 3"] && !rig.machine.state.hasMore)
    }

    @Test("A text above the length limit is refused before it is sent")
    func tooLong() {
        var rig = Rig.open()
        rig.send(String(repeating: "x", count: 4001), id: "a")
        #expect(rig.sent.isEmpty && rig.progress == [.notSent(.tooLong)])
    }

    @Test("A request without a connection fails, except for a typing signal")
    func requests() {
        var rig = Rig.open()
        rig.lose()
        rig.handle(.command(.request(.delete(id: "a"))))
        #expect(rig.reports == [.failed(.notConnected)])
        rig.handle(.command(.request(.typing)))
        #expect(rig.effects.isEmpty)
        rig = Rig.open(extended: false)
        rig.handle(.command(.request(.delete(id: "a"))))
        #expect(rig.reports == [.failed(.notSupported)])
    }

    // MARK: What changes

    @Test("Older pages are inserted before the known messages without duplicates")
    func olderPages() {
        var rig = Rig()
        rig.open([.from(2, to: 101, "three", id: "m-3")], hasMore: true)
        rig.handle(.command(.loadOlder))
        #expect(rig.sent == [ChatRequest.Envelope(.history(before: "m-3", limit: 50)).text])
        rig.handle(.command(.loadOlder))
        #expect(rig.sent.isEmpty)
        rig.receive(.history([.from(2, to: 101, "two", id: "m-2")], before: "m-3", hasMore: false))
        #expect(rig.texts == ["two", "three"])
        #expect(!rig.machine.state.hasMore && !rig.machine.state.isLoadingOlder)
        rig.receive(.history([.from(2, to: 101, "two", id: "m-2")], before: "m-3", hasMore: false))
        #expect(rig.texts == ["two", "three"])
    }

    @Test("Only the sender's edits and deletions change a message; reactions are added and removed")
    func changes() {
        var rig = Rig.open(extended: true, [.from(2, to: 101, "one", id: "m-1")])
        rig.receive(.edit(id: "m-1", text: "forged", from: 101))
        #expect(rig.texts == ["one"])
        rig.receive(.edit(id: "m-1", text: "two", from: 2))
        rig.receive(.reaction(id: "m-1", .love, isAdded: true, from: 101))
        #expect(rig.texts == ["two"] && rig.machine.state.items[0].message.reactions == [.love: [101]])
        rig.receive(.reaction(id: "m-1", .love, isAdded: false, from: 101))
        #expect(rig.machine.state.items[0].message.reactions.isEmpty)
        rig.receive(.delete(id: "m-1", from: 2))
        #expect(rig.texts == [""] && rig.machine.state.items[0].message.isDeleted)
    }

    @Test("A reply marks the user's earlier messages as delivered")
    func answered() {
        var rig = Rig.open([.from(101, to: 2, "first", id: "m-1"), .from(101, to: 2, "second", id: "m-2")])
        #expect(rig.machine.state.items.map(\.isDelivered) == [false, false])
        rig.receive(.message(.from(2, to: 101, "answer", id: "m-3")))
        rig.receive(.message(.from(101, to: 2, "third", id: "m-4")))
        #expect(rig.machine.state.items.filter(\.isMine).map(\.isDelivered) == [true, true, false])
    }

    @Test("A delivery or read mark applies to all of the user's messages up to the marked one")
    func marks() {
        var rig = Rig.open(
            extended: true,
            [
                .from(101, to: 2, "one", id: "m-1"), .from(101, to: 2, "two", id: "m-2"),
            ]
        )
        rig.receive(.delivered(id: "m-2", to: 2))
        rig.receive(.read(id: "m-1", from: 2))
        #expect(rig.machine.state.items.map(\.isDelivered) == [true, true])
        #expect(rig.machine.state.items.map(\.isRead) == [true, false])
    }

    @Test("The typing indicator ends with a message or after five seconds")
    func typing() {
        var rig = Rig.open()
        rig.receive(.typing(from: 2))
        #expect(rig.machine.state.isPeerTyping)
        rig.end(.typing)
        #expect(!rig.machine.state.isPeerTyping)
        rig.receive(.typing(from: 2))
        rig.receive(.message(.from(2, to: 101, "hi", id: "m")))
        #expect(!rig.machine.state.isPeerTyping)
    }

    @Test("The newest 200 messages are stored")
    func kept() {
        let rig = Rig.open(extended: true, (0..<250).map { .from(2, to: 101, "\($0)", id: "m-\($0)") })
        #expect(rig.machine.messagesToKeep.count == 200 && rig.machine.messagesToKeep.last?.text == "249")
    }
}
