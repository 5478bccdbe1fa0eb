import Basics
import Testing

@testable import ChatCore

@Suite("Frames of the chat")
struct ChatWireTests {
    private static let requests: [ChatRequest] = [
        .message(id: "a-1", text: "Hi “you” \u{1F600}\n", media: nil, replyTo: nil),
        .message(id: "a-2", text: "", media: "file_1", replyTo: "a-1"),
        .edit(id: "a-1", text: "Ho"), .delete(id: "a-1"),
        .reaction(id: "a-1", .thanks, isAdded: true), .reaction(id: "a-1", .wow, isAdded: false), .typing,
        .read(id: "a-1"), .history(before: "a-1", limit: 20), .history(before: nil, limit: 50),
        .call(room: 7), .hangUp(room: 7),
        .answer(room: 7), .search("tea"), .block(person: 3), .unblock(person: 3),
        .report(person: 3, reason: "spam"),
    ]

    @Test("An encoded request is decoded unchanged", arguments: requests)
    func request(_ request: ChatRequest) throws {
        for peer in [nil, 5] {
            let envelope = ChatRequest.Envelope(request, with: peer)
            #expect(try ChatRequest.Envelope(envelope.text) == envelope)
        }
    }

    private static let message: ChatMessage = {
        var message = ChatMessage.from(1, to: 101, "Hi", id: "m-1")
        var media = ChatMedia(id: "f", url: "/api/media/f", type: "image/png", bytes: 9)
        (media.width, media.height, media.duration) = (4, 3, 1.5)
        message.media = media
        (message.replyTo, message.isEdited, message.isAutomatic) = ("m-0", true, true)
        message.reactions = [.love: [1, 101], .sad: [101]]
        return message
    }()

    private static let events: [ChatEvent] = [
        .hello(["text": 4000]), .hello([:], isPeerSimulated: true),
        .history([message], before: nil, hasMore: true),
        .history([], before: "m-1", hasMore: false),
        .conversations([
            ChatConversation(with: 1, last: message, unread: 3),
            ChatConversation(with: 2, last: nil, unread: 0),
        ]),
        .message(message), .edit(id: "m-1", text: "Ho", from: 1), .delete(id: "m-1", from: 1),
        .reaction(id: "m-1", .like, isAdded: true, from: 1),
        .reaction(id: "m-1", .like, isAdded: false, from: 1), .typing(from: 1), .read(id: "m-1", from: 1),
        .delivered(id: "m-1", to: 1), .presence(person: 1, isOnline: true), .call(room: 7, from: 1),
        .hangUp(room: 7, from: 1),
        .blocked([2, 5]), .blocked([]), .reported(person: 5), .found(query: "tea", [message]),
        .error(code: "too_fast", message: "slowly", reference: "m-1"),
        .error(code: "offline", message: "nobody", reference: nil),
    ]

    @Test("An encoded event is decoded unchanged", arguments: events)
    func event(_ event: ChatEvent) throws {
        for peer in [nil, 5] {
            let envelope = ChatEventEnvelope(event, with: peer)
            #expect(try ChatEventEnvelope(envelope.text) == envelope)
        }
    }

    @Test(
        "An invalid request is refused with an error code and the ID of its message",
        arguments: [
            ("[]", "bad_frame", nil), ("{\"id\":\"a\"}", "bad_frame", nil),
            ("{\"type\":\"message\",\"id\":\"\",\"message\":\"x\"}", "bad_id", nil),
            ("{\"type\":\"message\",\"id\":\"a b\",\"message\":\"x\"}", "bad_id", nil),
            ("{\"type\":\"message\",\"id\":\"a\",\"message\":\" \\n\"}", "empty", "a"),
            ("{\"type\":\"message\",\"id\":\"a\"}", "bad_text", "a"),
            (
                "{\"type\":\"message\",\"id\":\"a\",\"message\":\"x\",\"media\":{\"id\":\"../x\"}}",
                "bad_media", "a"
            ),
            (
                "{\"type\":\"reaction\",\"id\":\"a\",\"reaction\":\"envy\",\"op\":\"add\"}", "bad_reaction",
                "a"
            ),
            ("{\"type\":\"call\",\"room\":0}", "bad_room", nil),
            ("{\"type\":\"search\",\"query\":\"\"}", "bad_query", nil),
            ("{\"type\":\"block\"}", "bad_person", nil),
        ]
    )
    func refusal(_ frame: String, _ code: String, _ reference: String?) throws {
        let refusal = #expect(throws: ChatRequest.Refusal.self) { try ChatRequest.Envelope(frame) }
        #expect(refusal?.code == code && refusal?.reference == reference)
    }

    @Test("A text has at most 4,000 characters and 16 KB")
    func limits() throws {
        func refusal(_ text: String) -> String? {
            let request = ChatRequest.message(id: "a", text: text, media: nil, replyTo: nil)
            do {
                _ = try ChatRequest.Envelope(ChatRequest.Envelope(request).text)
                return nil
            } catch { return error.code }
        }
        #expect(refusal(String(repeating: "é", count: 4000)) == nil)
        #expect(refusal(String(repeating: "x", count: 4001)) == "too_long")
        #expect(refusal(String(repeating: "👨‍👩‍👧‍👦", count: 1000)) == "too_long")
    }

    @Test(
        "The error of a frame without a valid required member names that member",
        arguments: [
            ("{}", "type"), ("nonsense", "type"), ("{\"type\":\"message\"}", "item"),
            ("{\"type\":\"history\"}", "items"),
            (
                "{\"type\":\"message\",\"item\":{\"from\":\"a\",\"to\":\"b\",\"timestamp\":\"2026-01-31T12:00:00Z\"}}",
                "message"
            ),
            (
                "{\"type\":\"message\",\"item\":{\"from\":\"a\",\"to\":\"b\",\"message\":\"x\",\"timestamp\":\"now\"}}",
                "timestamp"
            ),
            (
                "{\"type\":\"message\",\"item\":{\"to\":\"b\",\"message\":\"x\",\"timestamp\":\"2026-01-31T12:00:00Z\"}}",
                "from"
            ),
            (
                """
                {"type":"message","item":{"from":"a","to":"b","message":"x","timestamp":"2026-01-31T12:00:00Z",\
                "media":{"id":"a","url":"/x","type":"text/plain","bytes":9223372036854775807}}}
                """, "bytes"
            ), ("{\"type\":\"presence\",\"userId\":1}", "isOnline"), ("{\"type\":\"typing\"}", "fromId"),
        ]
    )
    func missing(_ frame: String, _ field: String) {
        #expect(throws: ChatError.decodingFailed(field)) { try ChatEventEnvelope(frame) }
    }

    @Test("A frame of an unknown type is ignored")
    func unknown() throws {
        #expect(try ChatEventEnvelope("{\"type\":\"poll\",\"x\":1}") == nil)
        #expect(try ChatRequest.Envelope("{\"type\":\"poll\",\"x\":1}") == nil)
    }

    @Test("A frame for plain clients is encoded byte for byte like Python's json.dumps")
    func plain() throws {
        let time = try #require(ChatTime("2026-01-31T12:00:00.123456+00:00"))
        var message = ChatMessage(from: "Zoë", to: "101", text: "“tea”\t\u{1F375}\u{7F}/\\\u{1}", time: time)
        (message.id, message.fromID) = ("m-1", 1)
        let item =
            #"{"from": "Zo\u00eb", "to": "101", "message": "\u201ctea\u201d\t\ud83c\udf75\u007f"#
            + #"/\\\u0001", "timestamp": "2026-01-31T12:00:00.123456+00:00"}"#
        #expect(ChatEvent.message(message).plainText == #"{"type": "message", "item": "# + item + "}")
        #expect(
            ChatEvent.history([message], before: nil, hasMore: true).plainText
                == #"{"type": "history", "items": ["# + item + "]}"
        )
        message.isAutomatic = true
        #expect(ChatEvent.message(message).plainText?.hasSuffix(#"+00:00", "auto": true}}"#) == true)
        #expect(ChatEvent.typing(from: 1).plainText == nil)
    }

    @Test(
        "A time is parsed with and without a fraction, in UTC and with an offset",
        arguments: [
            ("2026-01-31T12:00:00Z", 0), ("2026-01-31T12:00:00.5Z", 500_000),
            ("2026-01-31T12:00:00.123456+00:00", 123_456), ("2026-01-31T13:30:00.000001+01:30", 1),
            ("2026-01-31T12:00:00.1234567Z", 123_456),
        ]
    )
    func time(_ text: String, _ fraction: Int64) throws {
        let time = try #require(ChatTime(text))
        #expect(time.microseconds == 1_769_860_800_000_000 + fraction)
        #expect(ChatTime(time.description) == time)
    }

    @Test("A time is formatted as in Python, without a zero fraction")
    func timeText() {
        #expect(ChatTime(microseconds: 1_769_860_800_000_000).description == "2026-01-31T12:00:00+00:00")
        #expect(
            ChatTime(microseconds: 1_769_860_800_000_007).description == "2026-01-31T12:00:00.000007+00:00"
        )
        #expect(ChatTime("yesterday") == nil)
    }

    @Test("A user's own message has the user's sender ID, or without one a text equal to the name or ID")
    func sender() {
        #expect(ChatMessage.from(99, to: 1, "x", id: "a").isFrom(99, name: nil))
        #expect(!ChatMessage.from(1, to: 99, "x", id: "a").isFrom(99, name: "Person 1"))
        #expect(ChatMessage.plain("You", to: "Ann", "x").isFrom(99, name: "You"))
        #expect(ChatMessage.plain("345", to: "Ann", "x").isFrom(345, name: nil))
        #expect(!ChatMessage.plain("Ann", to: "You", "x").isFrom(99, name: "You"))
    }

    @Test("People with accounts have a username in the list, and others are as on an original server")
    func usernames() throws {
        let account = ChatPerson(id: 1000, name: "Ann", username: "ann")
        #expect(account.json["username"]?.stringValue == "ann")
        #expect(try ChatPerson(account.json) == account)
        #expect(account.handle == "@ann")
        // Plain clients get nothing that an original server does not write.
        let plain = #"{"id":1,"name":"Mei","status":null,"isOnline":false}"#
        #expect(ChatPerson(id: 1, name: "Mei").json.serialized() == plain)
        let unseen: JSON = ["id": 1, "name": "Mei", "isOnline": true, "username": "\u{202E}"]
        #expect(try ChatPerson(unseen).handle == nil)
    }

    @Test("The list of people is a bare JSON array, and unknown members are ignored")
    func people() throws {
        let body =
            #"[{"id":2,"name":"Bo","status":null,"isOnline":false,"mood":1},{"id":1,"name":"al","status":"s","isOnline":false},{"id":3,"name":"Cy","isOnline":true}]"#
        let people = try [ChatPerson](listIn: Array(body.utf8))
        #expect(people.map(\.id) == [2, 1, 3] && people[1].status == "s")
        #expect(people.sorted(without: 9).map(\.id) == [3, 1, 2])
        #expect(people.sorted(without: 3).map(\.id) == [1, 2])
        #expect(throws: ChatError.decodingFailed("list")) { try [ChatPerson](listIn: Array("{}".utf8)) }
        #expect(throws: ChatError.decodingFailed("name")) {
            try [ChatPerson](listIn: Array(#"[{"id":1,"isOnline":true}]"#.utf8))
        }
        #expect(ChatPerson(id: 1, name: "Mei de Okafor").initials == "MO")
        #expect(ChatPerson(id: 1, name: " ").initials == "??")
    }
}
