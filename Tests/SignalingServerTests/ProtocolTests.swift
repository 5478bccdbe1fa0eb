import Basics
import SignalingServer
import SocketIO
import Testing

@Suite("Protocol violations", .timeLimit(.minutes(4)))
struct ProtocolTests {
    @Test(
        "A packet that is not permitted before joining ends the connection",
        arguments: [
            #"42["offer"]"#, "41", "43[]", #"44{"message":"x"}"#, #"42/other,["x"]"#, "4", "49", "40[]",
            "4abc", "", "9", "x", "2", "5", "6", "0{}",
        ]
    )
    func beforeJoining(text: String) async throws {
        try await withServer { server in
            try await TestPeer.with(server) { peer in
                try await peer.socket.send(text)
                #expect(try await peer.socket.closeCode() != nil)
            }
        }
    }

    @Test(
        "A packet that is not permitted after joining ends the connection",
        arguments: [
            "40", #"42/other,["x"]"#, "41/other,", #"42{"a":1}"#, #"42["connect"]"#, #"42["x""#,
            #"4511-["x"]"#, "2probe",
        ]
    )
    func afterJoining(text: String) async throws {
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { peer in
                try await peer.socket.send(text)
                #expect(try await peer.socket.closeCode() != nil)
            }
        }
    }

    @Test("Unannounced binary data ends the connection")
    func strayBytes() async throws {
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { peer in
                try await peer.socket.send([1, 2, 3])
                try await peer.socket.expectClose(1002)
            }
        }
    }

    @Test(
        "A violation of the WebSocket protocol ends the connection with its code",
        arguments: [
            (UInt8(0x81), [UInt8](), false, 1002),  // not masked
            (0xC1, [0x34], true, 1002),  // a reserved bit
            (0x83, [], true, 1002),  // an unknown opcode
            (0x80, [], true, 1002),  // a continuation without a first frame
            (0x09, [], true, 1002),  // a fragmented ping
            (0x89, [UInt8](repeating: 0, count: 126), true, 1002),  // a ping that is too long
            (0x81, [0x34, 0xFF], true, 1007),  // not UTF-8
        ] as [(UInt8, [UInt8], Bool, Int)]
    )
    func frames(firstByte: UInt8, payload: [UInt8], isMasked: Bool, code: Int) async throws {
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { peer in
                try await peer.socket.sendFrame(firstByte, payload, isMasked: isMasked)
                try await peer.socket.expectClose(code)
            }
        }
    }

    @Test(
        "A message above the size limit is refused with 1009 before its payload arrives",
        arguments: [1_000_001, 1 << 40, .max]
    )
    func tooLarge(length: Int) async throws {
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { peer in
                try await peer.socket.sendFrame(0x81, [0x34], length: length)
                try await peer.socket.expectClose(1009)
            }
        }
    }

    @Test("A fragmented message is reassembled, and a ping between its fragments is answered")
    func parts() async throws {
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await TestPeer.with(server, as: "Bob", false) { bob in
                    try await bob.socket.sendFrame(0x01, Array(#"42["pa"#.utf8))
                    try await bob.socket.sendFrame(0x89, [7])
                    try await bob.socket.sendFrame(0x00, Array("r".utf8))
                    try await bob.socket.sendFrame(0x80, Array(#"ts"]"#.utf8))
                    try await bob.socket.expect(.pong([7]))
                    _ = try await ann.next()
                    try await ann.expect(.event("parts"))
                }
            }
        }
    }

    @Test("Fragments whose total size exceeds the limit are refused with 1009")
    func partsTooLarge() async throws {
        try await withServer({ $0.maximumPayload = 1000 }) { server in
            try await TestPeer.with(server, as: "Ann", true) { peer in
                try await peer.socket.sendFrame(0x01, [UInt8](repeating: 0x34, count: 600))
                try await peer.socket.sendFrame(0x00, [UInt8](repeating: 0x34, count: 600))
                try await peer.socket.expectClose(1009)
            }
        }
    }

    @Test("An event at the size limit is relayed")
    func atTheLimit() async throws {
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await TestPeer.with(server, as: "Bob", false) { bob in
                    let text = String(repeating: "x", count: 1_000_000 - #"42["big",""]"#.utf8.count)
                    try await bob.send(.event("big", [.string(text)]))
                    _ = try await ann.next()
                    #expect(try await ann.next()?.arguments == [.string(text)])
                }
            }
        }
    }

    @Test("A client that does not read is disconnected, and its peer stays connected")
    func slowReader() async throws {
        try await withServer({
            $0.maximumQueuedBytes = 100_000
            $0.grace = .zero
        }) { server in
            try await TestPeer.with(server, as: "Ann", true) { _ in
                try await TestPeer.with(server, as: "Bob", false) { bob in
                    // Ann reads nothing. When the buffers of both sockets are full, the server's queue of
                    // output for her fills.
                    let bytes = JSON.binary([UInt8](repeating: 0, count: 500_000))
                    for _ in 0..<40 { try await bob.send(.event("flood", [bytes])) }
                    #expect(try await bob.next()?.eventName == "room_user_left")
                }
            }
        }
    }
}
