import Basics
import BasicsTesting
import SocketIO
import Testing

@Suite("Engine.IO packets")
struct EnginePacketTests {
    static let handshake = EngineHandshake(
        sid: "lv_VI97HAXpY6yYWAAAC",
        upgrades: ["websocket"],
        pingInterval: 25000,
        pingTimeout: 20000,
        maxPayload: 1_000_000
    )

    @Test(
        "Each packet is encoded as text and decoded from that text",
        arguments: [
            (EnginePacket.close, "1"), (.ping(""), "2"), (.ping("probe"), "2probe"), (.pong(""), "3"),
            (.pong("probe"), "3probe"), (.message("hello€"), "4hello€"), (.message(""), "4"), (.upgrade, "5"),
            (.noop, "6"), (.binary([1, 2, 3, 4]), "bAQIDBA=="), (.binary([]), "b"),
            (
                .open(handshake),
                #"0{"sid":"lv_VI97HAXpY6yYWAAAC","upgrades":["websocket"],"pingInterval":25000,"#
                    + #""pingTimeout":20000,"maxPayload":1000000}"#
            ),
        ]
    )
    func texts(packet: EnginePacket, text: String) throws {
        #expect(packet.text == text)
        #expect(try EnginePacket(text: text) == packet)
    }

    @Test("A combining mark at the start of a message is preserved")
    func combiningMark() throws {
        #expect(try EnginePacket(text: "4\u{301}x") == .message("\u{301}x"))
    }

    @Test(
        "Invalid packets are rejected",
        arguments: [
            ("", EnginePacketError.empty), ("7", .unknownType("7")), ("abc", .unknownType("a")),
            ("bAQI", .invalidBase64), ("b====", .invalidBase64), ("0", .handshake(field: nil)),
            ("0[]", .handshake(field: "sid")), ("0{", .handshake(field: nil)),
        ]
    )
    func refused(text: String, error: EnginePacketError) {
        #expect(throws: error) { try EnginePacket(text: text) }
    }

    @Test(
        "Invalid fields of a handshake are rejected",
        arguments: [
            ("sid", JSON.string("")), ("sid", 1), ("sid", .string(String(repeating: "x", count: 257))),
            ("upgrades", nil), ("pingInterval", 0), ("pingInterval", "25000"), ("pingInterval", .int(.max)),
            ("pingTimeout", -1), ("pingTimeout", 1e300), ("maxPayload", 0), ("maxPayload", nil),
        ]
    )
    func handshakeFields(field: String, value: JSON) throws {
        var members = try #require(Self.handshake.json.objectValue)
        members[field] = value
        #expect(throws: EnginePacketError.handshake(field: field)) { try EngineHandshake(.object(members)) }
    }

    @Test("The maxPayload of a handshake defaults to 1,000,000 bytes, and unknown fields are ignored")
    func oldHandshake() throws {
        var members = try #require(Self.handshake.json.objectValue)
        members["maxPayload"] = nil
        members["other"] = true
        #expect(try EngineHandshake(.object(members)) == Self.handshake)
    }
}

@Suite("Polling payloads")
struct PollingPayloadTests {
    @Test("Packets are separated by U+001E, and binary packets are encoded in Base64")
    func separated() throws {
        let packets: [EnginePacket] = [.message("a"), .binary([1, 2, 3, 4]), .ping("")]
        #expect(PollingPayload.encode(packets) == "4a\u{1E}bAQIDBA==\u{1E}2")
        #expect(try PollingPayload.decode("4a\u{1E}bAQIDBA==\u{1E}2".utf8, maximumLength: 100) == packets)
    }

    @Test("A body above the size limit or with too many packets is rejected")
    func bounded() throws {
        #expect(try PollingPayload.decode("4abc".utf8, maximumLength: 4) == [.message("abc")])
        #expect(throws: EnginePacketError.payloadTooLarge) {
            try PollingPayload.decode("4abc".utf8, maximumLength: 3)
        }
        #expect(throws: EnginePacketError.payloadTooLarge) {
            try PollingPayload.decode("6\u{1E}6\u{1E}6".utf8, maximumLength: 100, maximumCount: 2)
        }
    }

    @Test("A body with an empty packet is rejected", arguments: ["", "\u{1E}", "4a\u{1E}", "\u{1E}4a"])
    func emptyPackets(body: String) {
        #expect(throws: EnginePacketError.empty) { try PollingPayload.decode(body.utf8, maximumLength: 100) }
    }

    @Test("A body that is not UTF-8 is rejected")
    func invalidUTF8() {
        #expect(throws: EnginePacketError.invalidUTF8) {
            try PollingPayload.decode([0x34, 0xFF], maximumLength: 100)
        }
    }

    @Test("A body contains as many queued packets as fit into the size limit, but at least one")
    func prefix() {
        let packets: [EnginePacket] = [.message("ab"), .binary([1]), .message("c"), .ping("")]
        for limit in 0...20 {
            let count = PollingPayload.prefixLength(of: packets, maximumLength: limit)
            #expect(count >= 1)
            #expect(count == 1 || PollingPayload.encode(Array(packets.prefix(count))).utf8.count <= limit)
            #expect(
                count == packets.count
                    || PollingPayload.encode(Array(packets.prefix(count + 1))).utf8.count > limit
            )
        }
        #expect(PollingPayload.prefixLength(of: [], maximumLength: 10) == 0)
    }
}

@Suite("Base64")
struct Base64Tests {
    @Test(
        "The test vectors of RFC 4648 are encoded and decoded",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(bytes: String, text: String) {
        #expect(Base64.encode(Array(bytes.utf8)) == text)
        #expect(Base64.decode(text) == Array(bytes.utf8))
    }

    @Test("Random bytes survive a round trip", arguments: 0..<50)
    func roundTrip(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = generator.bytes(upTo: 300)
        #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }

    @Test(
        "Text that is not padded Base64 is rejected",
        arguments: ["Z", "Zg", "Zg=", "=", "====", "Z===", "Zm9v=", "Zm-_", "Zm 9", "Zg==Zg==", "é=="]
    )
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
