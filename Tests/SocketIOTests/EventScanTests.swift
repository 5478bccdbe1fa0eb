import Basics
import BasicsTesting
import SocketIO
import Testing

@Suite("Scanning events without decoding them")
struct EventScanTests {
    private func scan(_ text: String, from start: Int = 0) -> (name: String, asksForAck: Bool)? {
        let bytes = Array(text.utf8)
        guard let scan = EventScan(bytes.span, from: start) else { return nil }
        return (String(decoding: bytes[scan.name], as: UTF8.self), scan.asksForAck)
    }

    @Test(
        "The event scan finds the name and the acknowledgement request of a plain event",
        arguments: [
            (#"2["offer"]"#, "offer", false), (#"2["offer",{"sdp":"v=0\r\n"}]"#, "offer", false),
            (#"20["a"]"#, "a", true), (#"212345678901234567["a",1]"#, "a", true),
            (#"2["é漢𝄞",null]"#, "é漢𝄞", false),
            (#"2["",[]]"#, "", false), (#"2["a" , 1 ] "#, "a", false),
            (#"2["connected"]"#, "connected", false),
            (#"2["a",{"_placeholder":true,"num":0}]"#, "a", false), (#"2["a","\"",["\\"]]"#, "a", false),
        ]
    )
    func plain(text: String, name: String, asksForAck: Bool) throws {
        let event = try #require(scan(text))
        #expect(event.name == name)
        #expect(event.asksForAck == asksForAck)
        var decoder = SocketDecoder()
        let packet = try #require(try decoder.decode(text: text))
        #expect(packet.type == .event)
        #expect(packet.namespace == "/")
        #expect(packet.eventName == name)
        #expect((packet.ackID != nil) == asksForAck)
    }

    @Test("The event scan starts at the given offset")
    func start() {
        #expect(scan(#"42["a"]"#, from: 1)?.name == "a")
        #expect(scan(#"42["a"]"#, from: 0) == nil)
        #expect(scan("4", from: 1) == nil)
        #expect(scan("4", from: 7) == nil)
    }

    @Test(
        "The scan rejects packets other than plain events, and events that it cannot read without decoding",
        arguments: [
            "0", "1", #"3["a"]"#, #"31["a"]"#, #"51-["a",{"_placeholder":true,"num":0}]"#, #"2/admin,["a"]"#,
            #"2/,["a"]"#, "2[7,1]", #"2 ["a"]"#, #"2[ "a"]"#, #"2["\u0061"]"#, #"2["a\n"]"#,
            #"21234567890123456789["a"]"#,
        ]
    )
    func others(text: String) { #expect(scan(text) == nil) }

    @Test(
        "The event scan rejects packets that the decoder rejects",
        arguments: [
            "", "2", "2[", #"2[""#, #"2["a"#, #"2["a""#, #"2["a","#, #"2["a",]"#, #"2["a"]]"#, #"2["a"]x"#,
            #"2["a",1 2]"#, #"2["a"1]"#, #"2["a":1]"#, #"2["a"}"#, #"2{"a":1}"#, "2[]", "2[null]", "2\"a\"",
            #"2["connect"]"#, #"2["connect_error",1]"#, #"2["disconnect"]"#, #"2["disconnecting"]"#,
            #"2["newListener"]"#, #"21["removeListener"]"#, "2[\"a\u{1}\"]", "2[\"a\nb\"]", #"2["a","\x"]"#,
            #"2abc["a"]"#, #"29223372036854775808["a"]"#, #"2-1["a"]"#, #"2["a",01]"#,
        ]
    )
    func refused(text: String) {
        #expect(scan(text) == nil)
        var decoder = SocketDecoder()
        #expect((try? decoder.decode(text: text)) == nil)
    }

    @Test(
        "The scan accepts a damaged event only if the decoder accepts it with the same result",
        arguments: 0..<2000
    )
    func damaged(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var attachments = 0
        let value = generator.json(depth: 3, attachments: &attachments)
        let ackID = Bool.random(using: &generator) ? 7 : nil
        var text = Array(SocketEncoder.encode(.event("offer", [value], ackID: ackID)).text.utf8)
        if seed % 4 != 0 {
            let bytes = Array(#"[]{}",:\u0123/-"#.utf8)
            let end = seed % 2 == 0 ? min(text.count, 14) : text.count
            text[Int.random(in: 0..<end, using: &generator)] = bytes.randomElement(using: &generator) ?? 0
        }
        guard let string = String(validating: text, as: UTF8.self) else { return }
        var decoder = SocketDecoder()
        let packet = try? decoder.decode(text: string)
        let event = scan(string)
        // The scan must accept an undamaged event.
        if seed % 4 == 0 { #expect(event?.name == "offer") }
        guard let event else { return }
        #expect(packet?.type == .event, "\(string)")
        #expect(packet?.eventName == event.name)
        #expect((packet?.ackID != nil) == event.asksForAck)
    }

    @Test(
        "The sender is the `from` member of the first argument, even if its key is escaped",
        arguments: [
            (#"2["a",{"from":"Ann"}]"#, "Ann"),
            (#"2["a",{"x":[{"from":1}],"from":"A\u006en\"","y":0}]"#, "Ann\""),
            (#"2["a",{"\u0066ro\u006D":""}]"#, ""), (#"2["a", { "from" : "é" } , {"from":"b"}]"#, "é"),
            (#"2["a"]"#, nil), (#"2["a",{}]"#, nil), (#"2["a",{"from":7}]"#, nil),
            (#"2["a",7,{"from":"x"}]"#, nil), (#"2["a",[{"from":"x"}]]"#, nil),
            (#"2["a",{"x":{"from":"x"}}]"#, nil), (#"2["a",{"FROM":"x"}]"#, nil),
            (#"2["a",{"\u0166rom":"x"}]"#, nil), (#"2["a",{"from\u0000":"x"}]"#, nil),
            (#"2["a",{"\from":"x"}]"#, nil),
        ] as [(String, String?)]
    )
    func sender(text: String, expected: String?) throws {
        let bytes = Array(text.utf8)
        guard let event = EventScan(bytes.span, from: 0) else { throw SocketParseError.unknownType }
        let name = event.sender.decoded(in: bytes.span)
        #expect(name == expected)
        #expect(event.sender == .none || expected != nil)
        var decoder = SocketDecoder()
        let packet = try decoder.decode(text: text)
        #expect(packet?.arguments.first?["from"]?.stringValue == expected)
    }

    @Test(
        "The sender is ambiguous if the first argument has several `from` members",
        arguments: [
            #"2["a",{"from":"x","from":"x"}]"#, #"2["a",{"from":1,"from":"x"}]"#,
            #"2["a",{"from":"x","fr\u006fm":null}]"#, #"2["a",{"from":"x","from":"y","from":"z"}]"#,
        ]
    )
    func ambiguous(text: String) {
        let bytes = Array(text.utf8)
        let sender = EventScan(bytes.span, from: 0)?.sender
        #expect(sender == .ambiguous)
    }

    @Test("The event scan and the decoder have the same depth limit", arguments: [61, 62, 63, 64])
    func depth(count: Int) {
        let nested = String(repeating: "[", count: count) + String(repeating: "]", count: count)
        for text in [#"2["a",\#(nested)]"#, #"2["a",{"k":\#(nested)}]"#] {
            var decoder = SocketDecoder()
            #expect((scan(text) != nil) == ((try? decoder.decode(text: text)) != nil))
        }
    }

    @Test("An event's name matches only an identical string")
    func matches() {
        let text = Array(#"2["offer"]"#.utf8)
        guard let event = EventScan(text.span, from: 0) else {
            Issue.record("no event")
            return
        }
        let words = ["offer", "offe", "offers", "Offer", ""] as [StaticString]
        let matching = words.map { event.matches($0, in: text.span) }
        #expect(matching == [true, false, false, false, false])
    }
}
