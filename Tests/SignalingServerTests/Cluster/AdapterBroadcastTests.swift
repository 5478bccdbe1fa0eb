import Basics
import SocketIO
import Testing

@testable import SignalingServer

@Suite struct AdapterBroadcastTests {
    /// A broadcast captured from version 8.3 of the official Redis adapter.
    private static let captured: [UInt8] =
        [0x93, 0xA6] + Array("Jvhtew".utf8) + [0x83, 0xA4] + Array("type".utf8) + [0x02, 0xA4]
        + Array("data".utf8) + [0x92, 0xB0] + Array("room_user_joined".utf8) + [0x83, 0xA8]
        + Array("username".utf8) + [0xA3] + Array("Bob".utf8) + [0xA6] + Array("roomId".utf8) + [0xA1, 0x31]
        + [0xA8] + Array("isCaller".utf8) + [0xA5] + Array("false".utf8) + [0xA3] + Array("nsp".utf8)
        + [0xA1, 0x2F, 0x83, 0xA5] + Array("rooms".utf8) + [0x91, 0xA1, 0x31, 0xA6] + Array("except".utf8)
        + [0x90, 0xA5] + Array("flags".utf8) + [0x80]

    private static let event = SocketPacket.event(
        "room_user_joined",
        [["username": "Bob", "roomId": "1", "isCaller": "false"]]
    )

    @Test("A broadcast is encoded byte for byte like the official adapter's")
    func encoding() {
        let broadcast = AdapterBroadcast(node: "Jvhtew", Self.event, rooms: ["1"])
        #expect(broadcast.encoded == Self.captured)
        #expect(broadcast.channel == "socket.io#/#1#")
    }

    @Test("A broadcast of the official adapter is decoded")
    func adapterEncoding() throws {
        let broadcast = try AdapterBroadcast(Self.captured)
        #expect(broadcast.node == "Jvhtew")
        #expect(broadcast.packet == Self.event)
        #expect(broadcast.rooms == ["1"])
    }

    @Test("An event with binary data is encoded unchanged, with packet type 2")
    func binaryData() throws {
        let packet = SocketPacket.event("photo", [.binary([1, 2, 3])])
        let bytes = AdapterBroadcast(node: "~abcde", packet, rooms: ["1"], except: ["x"]).encoded
        let value = try MessagePackDecoder.decode(bytes)
        #expect(value.arrayValue?[1] == ["type": 2, "data": ["photo", .binary([1, 2, 3])], "nsp": "/"])
        #expect(value.arrayValue?[2] == ["rooms": ["1"], "except": ["x"], "flags": [:]])
        #expect(try AdapterBroadcast(bytes).packet.type == .binaryEvent)
    }

    @Test("A broadcast to no room or to several rooms uses the channel for all clients")
    func channelForAllClients() {
        #expect(AdapterBroadcast(node: "a", Self.event, rooms: []).channel == "socket.io#/#")
        #expect(AdapterBroadcast(node: "a", Self.event, rooms: ["1", "2"]).channel == "socket.io#/#")
    }

    @Test(
        "The room is read from the name of a Redis channel",
        arguments: [
            ("socket.io#/#1#", "1"), ("socket.io#/#", nil), ("socket.io#/#a#b#", "a#b"),
            ("socket.io#/admin#1#", nil),
            ("other", nil),
        ]
    )
    func roomOfChannel(channel: String, room: String?) {
        #expect(AdapterChannels.room(of: channel) == room)
    }

    @Test("Numeric rooms are decoded as strings without duplicates, and the options may be missing")
    func roomNumbers() throws {
        let packet: JSON = ["type": 2, "data": ["x"], "nsp": "/"]
        let numbered = MessagePackEncoder.encode(["n", packet, ["rooms": [1, "2", "1", 2]]])
        #expect(try AdapterBroadcast(numbered).rooms == ["1", "2"])
        #expect(try AdapterBroadcast(MessagePackEncoder.encode(["n", packet])).rooms == [])
    }

    @Test("The deepest and longest payloads that a client may send are decoded")
    func deepAndLongPayloads() throws {
        let deep = String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
        let many = "[" + String(repeating: "1,", count: 499_990) + "1]"
        for text in [deep, many] {
            let packet = SocketPacket.event("x", [try JSON(parsing: text)])
            let broadcast = AdapterBroadcast(node: "n", packet, rooms: ["1"])
            #expect(try AdapterBroadcast(broadcast.encoded).packet == packet)
            #expect(try MessagePackDecoder.decode(broadcast.request(id: "r"))["packet"] != nil)
        }
    }

    private static let refused: [(JSON, AdapterRefusal)] = [
        ([:], .malformed), ([1, 2, 3], .malformed), (["n"], .malformed),
        (["n", ["type": 3, "data": ["x"]], [:]], .malformed),
        (["n", ["type": 2, "data": []], [:]], .malformed),
        (["n", ["type": 2, "data": [1]], [:]], .malformed),
        (["n", ["type": 2, "data": ["disconnect"]], [:]], .malformed),
        (["n", ["type": 2, "data": ["x"], "nsp": "/admin"], [:]], .otherNamespace),
        (["n", ["type": 2, "data": ["x"]], ["rooms": "1"]], .malformed),
        (["n", ["type": 2, "data": ["x"]], ["rooms": [[]]]], .malformed),
        ([.string(String(repeating: "n", count: 65)), ["type": 2, "data": ["x"]], [:]], .malformed),
    ]

    @Test("A broadcast that is malformed or for another namespace is refused", arguments: refused.indices)
    func refuses(index: Int) {
        let (value, refusal) = Self.refused[index]
        #expect(throws: refusal) { try AdapterBroadcast(MessagePackEncoder.encode(value)) }
    }
}
