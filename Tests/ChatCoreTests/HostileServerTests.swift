import Basics
import BasicsTesting
import Testing

@testable import ChatCore

@Suite("Conversations with a malicious server", .timeLimit(.minutes(4)))
struct HostileServerTests {
    private static func message(_ number: Int, _ text: String = "x") -> ChatMessage {
        .from(2, to: 101, text, id: "m-\(number)", at: Int64(number))
    }

    @Test("A message that is repeated in a page is shown only once, and other messages retain their marks")
    func twins() {
        var rig = ConversationRig()
        rig.open([.from(101, to: 2, "mine", id: "m-3", at: 3), Self.message(4)], hasMore: true)
        rig.receive(.read(id: "m-4", from: 2))
        rig.handle(.command(.loadOlder))
        let page = [Self.message(1), Self.message(1), Self.message(2), Self.message(4), Self.message(2)]
        rig.receive(.history(page, before: "m-3", hasMore: true))
        #expect(rig.machine.state.items.map(\.key) == ["m-1", "m-2", "m-3", "m-4"])
        #expect(rig.machine.state.items.map(\.isRead) == [false, false, true, false])
    }

    @Test("A page of history that was not requested is ignored")
    func unasked() {
        var rig = ConversationRig.open([Self.message(2)])
        rig.receive(.history([Self.message(1)], before: "m-2", hasMore: false))
        #expect(rig.machine.state.items.map(\.key) == ["m-2"])
    }

    @Test("The number of messages in memory is limited, and older ones can be loaded again")
    func number() {
        var rig = ConversationRig.open((0..<ChatLimits.loaded).map { Self.message($0) })
        rig.receive(.message(Self.message(ChatLimits.loaded)))
        let items = rig.machine.state.items
        #expect(items.count == ChatLimits.loaded * 3 / 4 && items.last?.key == "m-\(ChatLimits.loaded)")
        #expect(rig.machine.state.hasMore)
        rig.receive(.edit(id: "m-\(ChatLimits.loaded)", text: "changed", from: 2))
        #expect(rig.machine.state.items.last?.message.text == "changed")
    }

    @Test("Successive histories do not exceed the limit on messages in memory")
    func histories() {
        var rig = ConversationRig.open((0..<ChatLimits.loaded).map { Self.message($0) })
        let more = (ChatLimits.loaded - 1..<ChatLimits.loaded * 3 / 2).map { Self.message($0) }
        rig.receive(.history(more, before: nil, hasMore: false))
        #expect(rig.machine.state.items.count == ChatLimits.loaded * 3 / 4 && rig.machine.state.hasMore)
        #expect(rig.machine.state.items.last?.key == "m-\(ChatLimits.loaded * 3 / 2 - 1)")
    }

    @Test("A requested page is shown even if another request is refused meanwhile")
    func latepage() {
        var rig = ConversationRig()
        rig.open([Self.message(2)], hasMore: true)
        rig.handle(.command(.loadOlder))
        rig.receive(.error(code: "too_fast", message: "slowly", reference: nil))
        rig.receive(.history([Self.message(1)], before: "m-2", hasMore: false))
        #expect(rig.machine.state.items.map(\.key) == ["m-1", "m-2"])
    }

    @Test("A text longer than the limit is cut between two characters")
    func long() {
        var rig = ConversationRig.open([Self.message(1, String(repeating: "ж", count: 100_000) + "z")])
        rig.receive(.message(Self.message(2, "x" + String(repeating: "\u{1F600}", count: 100_000))))
        rig.receive(.edit(id: "m-2", text: "y" + String(repeating: "é", count: 100_000), from: 2))
        let lengths = rig.machine.state.items.map(\.message.text.utf8.count)
        #expect(lengths == [ChatLimits.longestTextBytes, ChatLimits.longestTextBytes - 1])
    }

    @Test("Protocol keywords with 200,000 combining marks are treated as unknown")
    func marks() throws {
        let marks = "a" + BasicsTesting.marks(200_000)
        for frame in [
            #"{"type":"\#(marks)"}"#, #"{"\#(marks)":1,"type":"x"}"#,
            #"{"type":"reaction","id":"m","reaction":"\#(marks)","op":"add","fromId":2}"#,
        ] {
            #expect(try ChatEventEnvelope(frame) == nil)
        }
        #expect(try ChatRequest.Envelope(#"{"type":"\#(marks)"}"#) == nil)
        #expect(throws: ChatRequest.Refusal.self) {
            try ChatRequest.Envelope(#"{"type":"reaction","id":"m","reaction":"\#(marks)"}"#)
        }
    }

    @Test("The unread counts, the number of conversations and the length of their texts are limited")
    func inbox() throws {
        var machine = InboxStateMachine(own: 101, seed: 1)
        var connection = 0
        for case .connect(let number) in machine.handle(.start) { connection = number }
        func receive(_ frame: String) { _ = machine.handle(.frame(frame, connection: connection)) }
        func receive(_ event: ChatEvent, with peer: Int? = nil) {
            receive(ChatEventEnvelope(event, with: peer).text)
        }
        _ = machine.handle(.opened(connection: connection))
        receive(.hello([:]))
        receive(
            #"{"type":"conversations","items":[{"withId":7,"last":null,"unread":9223372036854775807},{"withId":8,"unread":9223372036854775807}]}"#
        )
        receive(.message(.from(7, to: 101, String(repeating: "ж", count: 5000), id: "a", at: 1)), with: 7)
        #expect(machine.state[with: 7]?.unread == 999 && machine.state.unread == 1998)
        #expect(machine.state[with: 7]?.last?.text.unicodeScalars.count == ChatLimits.preview)
        for peer in 1000..<1600 {
            receive(.message(.from(peer, to: 101, "hi", id: "p\(peer)", at: Int64(peer))), with: peer)
        }
        #expect(machine.state.conversations.count == ChatLimits.conversations)
        for person in 1...11_000 { receive(.presence(person: person, isOnline: true)) }
        #expect(machine.state.presence.count == ChatLimits.presences)
    }

    @Test("Only the two people of a conversation can react to a message")
    func reactions() {
        var rig = ConversationRig.open([Self.message(1)])
        for person in [2, 101, 3, 4, 5] {
            rig.receive(.reaction(id: "m-1", .like, isAdded: true, from: person))
        }
        #expect(rig.machine.state.items[0].message.reactions == [.like: [2, 101]])
    }

    @Test("A call with an invalid room number is rejected", arguments: [0, 9_007_199_254_740_992, .max])
    func room(_ room: Int) {
        #expect(throws: ChatError.self) {
            try ChatEventEnvelope(ChatEventEnvelope(.call(room: room, from: 2)).text)
        }
    }

    @Test("The reason of a report is cut to 4,000 bytes")
    func report() throws {
        let reason = String(repeating: "a" + BasicsTesting.marks(20), count: 1500)
        let read = try ChatRequest.Envelope(ChatRequest.Envelope(.report(person: 3, reason: reason)).text)
        guard case .report(3, let kept) = read?.request else {
            Issue.record("another request")
            return
        }
        #expect(kept.utf8.count <= 4000 && kept.utf8.count > 3990)
    }
}
