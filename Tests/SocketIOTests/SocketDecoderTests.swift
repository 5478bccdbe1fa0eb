import Basics
import BasicsTesting
import SocketIO
import Testing

@Suite("Socket.IO decoder")
struct SocketDecoderTests {
    @Test("A ping or pong with 400,000 combining marks is parsed in a short time", .timeLimit(.minutes(4)))
    func probes() throws {
        for type in [2, 3] {
            let packet = try EnginePacket(text: "\(type)probf\(BasicsTesting.marks(400_000))")
            #expect(packet != .ping("probe") && packet != .pong("probe"))
        }
    }

    @Test("A packet with 400,000 combining marks is decoded in a short time", .timeLimit(.minutes(4)))
    func marks() throws {
        let marks = BasicsTesting.marks(400_000)
        for text in [
            #"2["x",{"a\#(marks)":1,"x":1}]"#, #"2["\#(marks)"]"#, "0/\(marks),{}",
            #"0{"\#(marks)":1,"a":2}"#,
        ] {
            var decoder = SocketDecoder()
            let packet = try decoder.decode(text: text)
            #expect(packet?.namespace != "/admin" && packet?.eventName != "offer")
        }
    }

    @Test(
        "A packet without attachments is decoded from a single text message",
        arguments: [
            ("0", SocketPacket(type: .connect)),
            (#"0{"token":"x"}"#, SocketPacket(type: .connect, payload: ["token": "x"])),
            ("0/admin", SocketPacket(type: .connect, namespace: "/admin")),
            ("0/admin,", SocketPacket(type: .connect, namespace: "/admin")),
            (
                #"0/admin,{"sid":"1"}"#,
                SocketPacket(type: .connect, namespace: "/admin", payload: ["sid": "1"])
            ),
            ("1", SocketPacket(type: .disconnect)),
            ("1/admin,", SocketPacket(type: .disconnect, namespace: "/admin")),
            (#"2["ev",1]"#, .event("ev", [1])),
            (#"2[7]"#, SocketPacket(type: .event, payload: [7])),
            (#"212["ev"]"#, .event("ev", ackID: 12)),
            (#"2/admin,1["x"]"#, .event("x", namespace: "/admin", ackID: 1)),
            (#"3/admin,1[]"#, .ack(1, namespace: "/admin")),
            (#"312["ok",null]"#, .ack(12, ["ok", nil])),
            (
                #"4/random,{"message":"Invalid namespace"}"#,
                SocketPacket(
                    type: .connectError,
                    namespace: "/random",
                    payload: ["message": "Invalid namespace"]
                )
            ),
            (#"4"no""#, SocketPacket(type: .connectError, payload: "no")),
            (#"50-["ev"]"#, SocketPacket(type: .binaryEvent, payload: ["ev"])),
        ]
    )
    func wholePackets(text: String, packet: SocketPacket) throws {
        var decoder = SocketDecoder()
        #expect(try decoder.decode(text: text) == packet)
    }

    @Test(
        "Invalid packets are rejected",
        arguments: [
            ("", SocketParseError.unknownType),
            ("7", .unknownType),
            ("a", .unknownType),
            ("0[]", .illegalPayload(.connect)),
            (#"0"x""#, .illegalPayload(.connect)),
            ("1{}", .illegalPayload(.disconnect)),
            ("2", .illegalPayload(.event)),
            ("2{}", .illegalPayload(.event)),
            ("2[]", .illegalPayload(.event)),
            ("2[null]", .illegalPayload(.event)),
            ("2[{}]", .illegalPayload(.event)),
            (#"2["connect"]"#, .illegalPayload(.event)),
            (#"2["connect_error"]"#, .illegalPayload(.event)),
            (#"2["disconnect"]"#, .illegalPayload(.event)),
            (#"2["disconnecting"]"#, .illegalPayload(.event)),
            (#"2["newListener"]"#, .illegalPayload(.event)),
            (#"2["removeListener"]"#, .illegalPayload(.event)),
            ("3{}", .illegalPayload(.ack)),
            ("31", .illegalPayload(.ack)),
            ("4", .illegalPayload(.connectError)),
            (#"5["ev"]"#, .illegalAttachments),
            (#"5-["ev"]"#, .illegalAttachments),
            (#"5x-["ev"]"#, .illegalAttachments),
            (#"51["ev"]"#, .illegalAttachments),
            (#"511-["ev"]"#, .illegalAttachments),
            (#"599999999999999999999-["ev"]"#, .illegalAttachments),
            (#"299999999999999999999["ev"]"#, .illegalAckID),
            (#"2abc["ev"]"#, .invalidJSON(JSONError(reason: .unexpectedByte, offset: 0))),
            (#"2["ev"]x"#, .invalidJSON(JSONError(reason: .trailingText, offset: 6))),
        ]
    )
    func refusals(text: String, error: SocketParseError) {
        var decoder = SocketDecoder()
        #expect(throws: error) { try decoder.decode(text: text) }
    }

    @Test("Each placeholder is replaced by the attachment with its number")
    func attachments() throws {
        var decoder = SocketDecoder()
        let text = #"52-/a,3["ev",{"x":{"_placeholder":true,"num":1}},[{"_placeholder":true,"num":0}]]"#
        #expect(try decoder.decode(text: text) == nil)
        #expect(decoder.awaitsAttachments)
        #expect(try decoder.decode(attachment: [1]) == nil)
        let packet = try decoder.decode(attachment: [2, 3])
        #expect(packet?.arguments == [["x": .binary([2, 3])], [.binary([1])]])
        #expect(packet?.namespace == "/a")
        #expect(packet?.ackID == 3)
        #expect(!decoder.awaitsAttachments)
    }

    @Test("A binary acknowledgement is decoded when its attachment is received")
    func binaryAck() throws {
        var decoder = SocketDecoder()
        _ = try decoder.decode(text: #"61-12[{"_placeholder":true,"num":0}]"#)
        #expect(try decoder.decode(attachment: [9]) == .ack(12, [.binary([9])]))
    }

    @Test("A text message is rejected while an attachment is expected")
    func textInsteadOfAttachment() throws {
        var decoder = SocketDecoder()
        _ = try decoder.decode(text: #"51-["ev",{"_placeholder":true,"num":0}]"#)
        #expect(throws: SocketParseError.attachmentExpected) { try decoder.decode(text: #"2["ev"]"#) }
    }

    @Test("An attachment that no packet announced is rejected")
    func unexpectedAttachment() {
        var decoder = SocketDecoder()
        #expect(throws: SocketParseError.unexpectedAttachment) { try decoder.decode(attachment: [1]) }
    }

    @Test(
        "A placeholder that refers to a missing or used attachment is rejected",
        arguments: [
            #"51-["ev",{"_placeholder":true,"num":1}]"#,
            #"51-["ev",{"_placeholder":true,"num":-1}]"#,
            #"51-["ev",{"_placeholder":true,"num":0.5}]"#,
            #"51-["ev",{"_placeholder":true,"num":1e300}]"#,
            #"51-["ev",{"_placeholder":true,"num":"0"}]"#,
            #"51-["ev",{"_placeholder":true}]"#,
            #"51-["ev",{"_placeholder":true,"num":0},{"_placeholder":true,"num":0}]"#,
        ]
    )
    func illegalPlaceholders(text: String) throws {
        var decoder = SocketDecoder()
        _ = try decoder.decode(text: text)
        #expect(throws: SocketParseError.illegalPlaceholder) { try decoder.decode(attachment: [1]) }
    }

    @Test("A placeholder in a packet without attachments is an ordinary object")
    func placeholderInTextPacket() throws {
        var decoder = SocketDecoder()
        let packet = try decoder.decode(text: #"2["ev",{"_placeholder":true,"num":0}]"#)
        #expect(packet?.arguments == [["_placeholder": true, "num": 0]])
    }

    @Test("An event's name may be a number")
    func numericName() throws {
        var decoder = SocketDecoder()
        #expect(try decoder.decode(text: "2[7,1]")?.eventName == "7")
    }
}
