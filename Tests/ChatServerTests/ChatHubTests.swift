import Basics
import ChatCore
import Testing

@testable import ChatServer

@Suite("Frames sent by the chat hub")
struct ChatHubTests {
    private let rig: HubRig

    init() throws { rig = try HubRig() }

    @Test("A client first receives hello and the history, or only the history with the plain protocol")
    func opening() throws {
        let extended = try rig.open(20, with: 30)
        #expect(rig.types(extended) == ["hello", "history", "delivered", "read", "presence"])
        let plain = try rig.open(20, with: 30, isExtended: false)
        #expect(rig.types(plain) == ["history"])
        let inbox = try rig.open(20, with: nil)
        #expect(rig.types(inbox) == ["hello", "conversations"])
    }

    @Test("A message reaches the two people's sockets for their conversation or inbox, and no others")
    func recipients() throws {
        let sender = try rig.open(20, with: 30)
        let copies = try [
            rig.open(20, with: 30, isExtended: false), rig.open(20, with: nil), rig.open(30, with: 20),
            rig.open(30, with: 20, isExtended: false), rig.open(30, with: nil),
        ]
        let others = try [
            rig.open(20, with: 31), rig.open(30, with: 31, isExtended: false), rig.open(31, with: 20),
            rig.open(31, with: nil),
        ]
        rig.forgetFrames()
        try rig.say("m", from: sender)
        #expect(rig.types(sender) == ["message", "delivered"])
        for copy in copies { #expect(rig.types(copy).first == "message") }
        for other in others { #expect(rig.types(other) == []) }
    }

    @Test("With the plain protocol, messages have no IDs; in an inbox, they have the other person's ID")
    func shapes() throws {
        let plain = try rig.open(20, with: 30, isExtended: false)
        let (pair, inbox) = (try rig.open(30, with: 20), try rig.open(30, with: nil))
        rig.forgetFrames()
        try rig.receive("Привіт", from: plain)
        let frame = try #require(rig.take(plain).first)
        #expect(
            frame.hasPrefix(#"{"type": "message", "item": {"from": "20", "to": "30", "message": "\u041f"#)
        )
        #expect(!frame.contains("id") && !frame.contains("Id"))
        #expect(try JSON(parsing: rig.take(pair).first ?? "")["withId"] == nil)
        #expect(try JSON(parsing: rig.take(inbox).first ?? "")["withId"]?.intValue == 20)
    }

    @Test("Events that the plain protocol lacks are not sent to its clients")
    func plainEvents() throws {
        let plain = try rig.open(20, with: 30, isExtended: false)
        let pair = try rig.open(30, with: 20)
        try rig.say("m", from: pair)
        rig.forgetFrames()
        for request in [
            ChatRequest.typing, .reaction(id: "m", .like, isAdded: true), .edit(id: "m", text: "x"),
            .read(id: "m"), .call(room: 1), .hangUp(room: 1), .delete(id: "m"),
        ] {
            try rig.receive(request, from: pair)
        }
        #expect(rig.types(plain) == [])
        let again = try rig.open(20, with: 30, isExtended: false)
        let items = try JSON(parsing: rig.take(again).first ?? "")["items"]?.arrayValue
        #expect(items?.compactMap { $0["message"]?.stringValue } == ["Hi there!", "Hello!"])
    }

    @Test("With the plain protocol, a client receives a file as text with an absolute URL")
    func plainMedia() throws {
        let plain = try rig.open(30, with: 20, isExtended: false, base: "http://here:1")
        let pair = try rig.open(20, with: 30)
        let media = ChatMedia(id: "f", url: ChatMedia.path("f"), type: "image/png", bytes: 1)
        try rig.store.write { try $0.add(media, owner: 20) }
        rig.forgetFrames()
        try rig.receive(.message(id: "m", text: "look", media: "f", replyTo: nil), from: pair)
        try rig.receive(.message(id: "n", text: "", media: "f", replyTo: nil), from: pair)
        let texts = try rig.take(plain).map { try JSON(parsing: $0)["item"]?["message"]?.stringValue }
        #expect(texts == ["look\nhttp://here:1/api/media/f", "http://here:1/api/media/f"])
    }

    @Test("A repeated message is confirmed only to its sender")
    func repetition() throws {
        let (sender, peer) = (try rig.open(20, with: 30), try rig.open(30, with: 20))
        try rig.say("m", from: sender)
        rig.forgetFrames()
        try rig.say("m", from: sender)
        #expect(rig.types(sender) == ["message"] && rig.types(peer) == [])
        try rig.say("m", from: peer)
        #expect(rig.types(peer) == ["error id_taken"])
    }

    @Test(
        "A socket receives its history first, and a message waiting for storage arrives in the history or after it"
    )
    func readiness() throws {
        let sender = try rig.open(20, with: 30)
        rig.isHeld = true
        try rig.say("m", from: sender)
        let late = try rig.open(30, with: 20)
        try rig.say("n", from: sender)
        #expect(rig.types(late) == ["hello"])
        try rig.finish()
        let frames = rig.take(late)
        let history = try JSON(parsing: frames.first ?? "")["items"]?.arrayValue ?? []
        #expect(history.last?["id"]?.stringValue == "m")
        #expect(
            try frames.map { try JSON(parsing: $0)["item"]?["id"]?.stringValue }.compactMap(\.self) == ["n"]
        )
    }

    @Test(
        "A person's presence is sent to contacts only when the first socket opens or the last one closes"
    )
    func presence() throws {
        let (pair, inbox) = (try rig.open(20, with: 30), try rig.open(20, with: nil))
        let stranger = try rig.open(31, with: nil)
        rig.forgetFrames()
        let first = try rig.open(30, with: nil)
        let second = try rig.open(30, with: nil)
        try rig.close(first)
        #expect(rig.types(pair) == ["presence"] && rig.types(inbox) == ["presence"])
        try rig.close(second)
        #expect(rig.types(pair) == ["presence"] && rig.types(inbox) == ["presence"])
        #expect(rig.types(stranger) == [])
    }

    @Test("An inbox receives the presence of the person in a new conversation")
    func presenceOfNewConversation() throws {
        let inbox = try rig.open(20, with: nil)
        let peer = try rig.open(30, with: 20)
        rig.forgetFrames()
        try rig.say("m", from: peer)
        #expect(rig.types(inbox) == ["message", "presence"])
    }

    @Test("A call reaches the callee's inbox, and is refused if no open socket of the callee can receive it")
    func calls() throws {
        let caller = try rig.open(20, with: 30)
        let elsewhere = try rig.open(30, with: 31)
        _ = try rig.open(30, with: 20, isExtended: false)
        rig.forgetFrames()
        try rig.receive(.call(room: 7), from: caller)
        #expect(rig.types(caller) == ["error offline"] && rig.types(elsewhere) == [])
        let inbox = try rig.open(30, with: nil)
        rig.forgetFrames()
        try rig.receive(.call(room: 7), from: caller)
        #expect(rig.types(caller) == [] && rig.types(inbox) == ["call"])
        rig.forgetFrames()
        try rig.receive(.hangUp(room: 7), from: caller)
        #expect(rig.types(caller) == [] && rig.types(inbox) == ["hangup"])
    }

    @Test("A message from an inbox connection is refused unless it names a conversation")
    func inboxFrames() throws {
        let inbox = try rig.open(20, with: nil)
        _ = rig.take(inbox)
        try rig.say("m", from: inbox)
        try rig.say("m", with: 20, from: inbox)
        try rig.say("m", with: -1, from: inbox)
        #expect(rig.types(inbox) == Array(repeating: "error no_conversation", count: 3))
        try rig.say("m", with: 30, from: inbox)
        #expect(rig.types(inbox) == ["message"])
    }

    @Test(
        "A malformed frame is answered with an error, and the socket stays open",
        arguments: [
            "", "[]", "{}", "hello", #"{"type":1}"#, #"{"type":"message"}"#,
            #"{"type":"message","id":"ä","message":"x"}"#,
            #"{"type":"message","id":"m","message":1}"#, #"{"type":"message","id":"m","message":"  "}"#,
            #"{"type":"message","id":"m","message":"x","media":{"id":"../x"}}"#, #"{"type":"call","room":0}"#,
            #"{"type":"reaction","id":"m","reaction":"hate","op":"add"}"#, #"{"type":"search","query":""}"#,
            #"{"type":"block","userId":-1}"#, "\u{0}", String(repeating: "[", count: 10_000),
        ]
    )
    func malformed(frame: String) throws {
        let socket = try rig.open(20, with: 30)
        rig.forgetFrames()
        try rig.receive(frame, from: socket)
        #expect(rig.types(socket).first?.hasPrefix("error ") == true && rig.closed == [:])
        try rig.receive(#"{"type":"of the future"}"#, from: socket)
        #expect(rig.types(socket) == [])
    }

    @Test(
        "A null character is replaced by U+FFFD, and other control characters remain unchanged"
    )
    func controlCharacters() throws {
        let (socket, plain) = (try rig.open(20, with: 30), try rig.open(30, with: 20, isExtended: false))
        let (sent, stored) = (
            "a\u{0}\u{1}b\t\r\n\u{1B}\u{B}\u{7F}é", "a\u{FFFD}\u{1}b\t\r\n\u{1B}\u{B}\u{7F}é"
        )
        try rig.say("m", sent, from: socket)
        #expect(try rig.store.texts(20, 30).last == stored)
        try rig.receive(.edit(id: "m", text: sent + "c"), from: socket)
        #expect(try rig.store.texts(20, 30).last == stored + "c")
        try rig.receive(sent, from: plain)
        #expect(try rig.store.texts(20, 30).last == stored)
    }
}
