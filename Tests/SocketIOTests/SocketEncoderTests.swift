import Basics
import BasicsTesting
import SocketIO
import Testing

@Suite("Socket.IO encoder")
struct SocketEncoderTests {
    @Test(
        "A packet without attachments is encoded as a single text message",
        arguments: [
            (SocketPacket(type: .connect), "0"),
            (SocketPacket(type: .connect, payload: ["sid": "x"]), #"0{"sid":"x"}"#),
            (SocketPacket(type: .connect, namespace: "/admin", payload: ["a": 1]), #"0/admin,{"a":1}"#),
            (SocketPacket(type: .disconnect, namespace: "/admin"), "1/admin,"),
            (.event("ev", [1]), #"2["ev",1]"#),
            (.event("ev", namespace: "/a", ackID: 7), #"2/a,7["ev"]"#),
            (.ack(12, ["ok"]), #"312["ok"]"#),
            (
                SocketPacket(type: .connectError, payload: ["message": "room_full"]),
                #"4{"message":"room_full"}"#
            ),
        ]
    )
    func texts(packet: SocketPacket, text: String) {
        #expect(SocketEncoder.encode(packet) == SocketEncoder.Frames(text: text, attachments: []))
    }

    @Test("Attachments are sent in depth-first order, and placeholders replace them")
    func attachments() {
        let frames = SocketEncoder.encode(
            .event(
                "ev",
                [["x": [.binary([1])], "y": .binary([2])], .binary([3])],
                namespace: "/a",
                ackID: 5
            )
        )
        #expect(
            frames.text
                == #"53-/a,5["ev",{"x":[{"_placeholder":true,"num":0}],"y":{"_placeholder":true,"num":1}},"#
                + #"{"_placeholder":true,"num":2}]"#
        )
        #expect(frames.attachments == [[1], [2], [3]])
    }

    @Test("A packet is encoded as a binary type if and only if its payload contains bytes")
    func typeFollowsPayload() {
        let plain = SocketPacket(type: .binaryEvent, payload: ["ev"])
        #expect(SocketEncoder.encode(plain).text == #"2["ev"]"#)
        let binary = SocketPacket(type: .ack, ackID: 1, payload: [.binary([1])])
        #expect(SocketEncoder.encode(binary).text == #"61-1[{"_placeholder":true,"num":0}]"#)
    }

    @Test("An encoded packet is decoded unchanged", arguments: 0..<300)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var attachments = SocketDecoder.maximumAttachments
        let arguments = (0..<3).map { _ in generator.json(depth: 4, attachments: &attachments) }
        let namespace = Bool.random(using: &generator) ? "/" : "/admin"
        let ackID = Bool.random(using: &generator) ? Int.random(in: 0...Int.max, using: &generator) : nil
        let packet =
            if let ackID, Bool.random(using: &generator) {
                SocketPacket.ack(ackID, arguments, namespace: namespace)
            } else {
                SocketPacket.event("offer", arguments, namespace: namespace, ackID: ackID)
            }
        let frames = SocketEncoder.encode(packet)
        var decoder = SocketDecoder()
        var decoded = try decoder.decode(text: frames.text)
        for attachment in frames.attachments {
            #expect(decoded == nil)
            decoded = try decoder.decode(attachment: attachment)
        }
        #expect(decoded == packet)
    }

    @Test("Damaged packets are decoded or rejected, and never trap", arguments: 0..<500)
    func damagedPackets(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var attachments = 3
        let frames = SocketEncoder.encode(
            .event("e", [generator.json(depth: 3, attachments: &attachments)], namespace: "/n", ackID: 1)
        )
        var text = Array(frames.text.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let index = Int.random(in: 0..<min(text.count, 12), using: &generator)
            text[index] = UInt8.random(in: 0x20...0x7E, using: &generator)
        }
        var decoder = SocketDecoder()
        _ = try? decoder.decode(text: String(decoding: text, as: UTF8.self))
        while decoder.awaitsAttachments, (try? decoder.decode(attachment: [1])) == nil {}
    }
}
