import RTMP
import Testing

/// An encoder and a server that exchange their bytes in memory.
private struct Exchange {
    var publisher = PublishSession(url: "rtmp://127.0.0.1/app", app: "app", key: "secret?token=1")
    var server = IngestSession()
    /// The number of bytes that arrive at a time.
    var size = Int.max
    private(set) var serverEvents: [IngestSession.Event] = []
    private(set) var isStarted = false

    mutating func begin() throws { try toServer(publisher.opening) }

    mutating func toServer(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let events = try server.receive(rest.prefix(size))
            rest = rest.dropFirst(size)
            try handle(events)
        }
    }

    mutating func accept() throws { try handle(try server.accept()) }

    private mutating func handle(_ events: [IngestSession.Event]) throws {
        for event in events {
            guard case .send(let bytes) = event else {
                serverEvents.append(event)
                continue
            }
            try toPublisher(bytes)
        }
    }

    mutating func toPublisher(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let events = try publisher.receive(rest.prefix(size))
            rest = rest.dropFirst(size)
            for event in events {
                switch event {
                case .send(let answer): try toServer(answer)
                case .started: isStarted = true
                }
            }
        }
    }
}

@Suite("Sessions of RTMP")
struct SessionTests {
    private static let request = IngestSession.Event.publish(app: "app", key: "secret")

    @Test(
        "A stream is published and ended, wherever the network cuts the bytes",
        arguments: [1, 7, 1536, .max]
    )
    func publishing(size: Int) throws {
        var exchange = Exchange()
        exchange.size = size
        try exchange.begin()
        #expect(exchange.serverEvents == [Self.request])
        #expect(!exchange.isStarted)
        try exchange.accept()
        #expect(exchange.isStarted)
        #expect(exchange.server.isPublishing)
        let frame = FLVVideo.frame(isKeyframe: true, offset: 3, Array(repeating: 7, count: 10_000)[...])
        try exchange.toServer(exchange.publisher.metadata(["width": 1280]))
        try exchange.toServer(exchange.publisher.video(frame, at: 40))
        try exchange.toServer(exchange.publisher.audio(.frame([1]), at: 41))
        try exchange.toServer(exchange.publisher.end())
        #expect(
            exchange.serverEvents == [
                Self.request, .video(timestamp: 40, frame), .audio(timestamp: 41, .frame([1])), .ended,
                .closed,
            ]
        )
    }

    @Test("A refused encoder gets the reason")
    func refusal() throws {
        var exchange = Exchange()
        try exchange.begin()
        let bytes = exchange.server.refuse("there is no such stream")
        #expect(throws: RTMPViolation.refused("there is no such stream")) { try exchange.toPublisher(bytes) }
    }

    @Test("Nothing is read between the request to publish and its answer")
    func waiting() throws {
        var exchange = Exchange()
        try exchange.begin()
        // What arrives meanwhile is read after the answer.
        try exchange.toServer([0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(exchange.server.storedBytes == 12)
        #expect(throws: RTMPViolation.continuationWithoutMessage) { try exchange.server.accept() }
    }

    @Test("Media without a stream is refused")
    func mediaWithoutStream() throws {
        var server = IngestSession()
        _ = try server.receive(([3] + [UInt8](repeating: 0, count: 3072))[...])
        let message = RTMPPacket(type: RTMPMessageType.video, payload: [0x17, 1, 0, 0, 0])
        #expect(throws: RTMPViolation.unexpectedCommand) {
            try server.receive(ChunkWriter().write(message, chunkStream: 6)[...])
        }
    }

    @Test("Commands out of order are refused", arguments: ["publish", "play"])
    func order(name: String) throws {
        var server = IngestSession()
        _ = try server.receive(([3] + [UInt8](repeating: 0, count: 3072))[...])
        let payload = AMFEncoder.encode([.string(name), 1, .null, "key"])
        #expect(throws: RTMPViolation.unexpectedCommand) {
            try server.receive(
                ChunkWriter().write(RTMPPacket(type: 20, payload: payload), chunkStream: 3)[...]
            )
        }
    }

    @Test("A long message is refused before a stream is accepted")
    func longCommand() throws {
        var server = IngestSession()
        _ = try server.receive(([3] + [UInt8](repeating: 0, count: 3072))[...])
        #expect(throws: RTMPViolation.messageTooLarge) {
            try server.receive([3, 0, 0, 0, 1, 0, 0, 20, 0, 0, 0, 0])
        }
    }

    @Test("A long command is refused after a stream is accepted, too, and a frame as long is not")
    func longCommandInStream() throws {
        var exchange = Exchange()
        try exchange.begin()
        try exchange.accept()
        var writer = ChunkWriter()
        let frame = RTMPPacket(
            type: RTMPMessageType.video,
            payload: [0x27, 1, 0, 0, 0] + [UInt8](repeating: 7, count: 20_000)
        )
        try exchange.toServer(writer.announceChunkSize() + writer.write(frame, chunkStream: 6))
        let name = String(repeating: "x", count: 20_000)
        let command = RTMPPacket(
            type: 20,
            payload: AMFEncoder.encode([.string(name), 0])
        )
        #expect(throws: RTMPViolation.messageTooLarge) {
            try exchange.toServer(writer.write(command, chunkStream: 3))
        }
    }

    @Test("A long name of an app or a stream is refused", arguments: [true, false])
    func longName(isApp: Bool) throws {
        let name = String(repeating: "x", count: 257)
        var exchange = Exchange()
        exchange.publisher = PublishSession(
            url: "rtmp://127.0.0.1/app",
            app: isApp ? name : "app",
            key: isApp ? "key" : name
        )
        #expect(throws: RTMPViolation.unexpectedCommand) { try exchange.begin() }
    }

    @Test("The number of bytes before a stream is limited")
    func beginning() throws {
        var server = IngestSession()
        _ = try server.receive(([3] + [UInt8](repeating: 0, count: 3072))[...])
        let data = ChunkWriter().write(RTMPPacket(type: 18, payload: []), chunkStream: 3)
        #expect(throws: RTMPViolation.tooMuchBeforeStream) {
            for _ in 0..<20_000 { _ = try server.receive(data[...]) }
        }
    }

    @Test(
        "An error of a command that the encoder does not need is ignored, and a status without an error too"
    )
    func unimportantErrors() throws {
        var exchange = Exchange()
        try exchange.begin()
        func answer(_ name: String, _ transaction: Double, _ level: AMFValue) -> [UInt8] {
            let payload = AMFEncoder.encode([.string(name), .number(transaction), .null, ["level": level]])
            return ChunkWriter().write(RTMPPacket(type: 20, payload: payload), chunkStream: 3)
        }
        try exchange.toPublisher(answer("_error", 0, "error") + answer("onStatus", 0, "status"))
        try exchange.accept()
        #expect(exchange.isStarted)
        #expect(throws: RTMPViolation.self) { try exchange.toPublisher(answer("onStatus", 0, "error")) }
    }

    @Test("Other versions are refused after their first byte", arguments: [0, 6, 0x16, 0x47])
    func version(version: UInt8) {
        var server = IngestSession()
        #expect(throws: RTMPViolation.unsupportedVersion(version)) { try server.receive([version]) }
    }

    @Test("A ping is answered with its time")
    func ping() throws {
        var exchange = Exchange()
        try exchange.begin()
        try exchange.accept()
        let ping = RTMPPacket(type: 4, payload: [0, 6, 1, 2, 3, 4])
        let events = try exchange.server.receive(ChunkWriter().write(ping, chunkStream: 2)[...])
        let pong = RTMPPacket(type: 4, payload: [0, 7, 1, 2, 3, 4])
        #expect(events == [.send(ChunkWriter().write(pong, chunkStream: 2))])
    }

    @Test("An encoder answers the pings of its server")
    func pingOfServer() throws {
        var exchange = Exchange()
        try exchange.begin()
        try exchange.accept()
        let ping = RTMPPacket(type: 4, payload: [0, 6, 1, 2, 3, 4])
        let events = try exchange.publisher.receive(ChunkWriter().write(ping, chunkStream: 2)[...])
        guard case .send(let bytes) = events.first else {
            Issue.record("the ping is not answered")
            return
        }
        var reader = ChunkReader(maximumLength: 100)
        reader.append(bytes[...])
        let answer = try reader.next()
        #expect(answer == RTMPPacket(type: 4, payload: [0, 7, 1, 2, 3, 4]))
    }

    @Test("Received bytes are acknowledged, at most once for each 64 KiB")
    func acknowledgement() throws {
        var exchange = Exchange()
        try exchange.begin()
        try exchange.accept()
        let window = RTMPPacket(type: 5, payload: [0, 0, 0, 1])
        try exchange.toServer(ChunkWriter().write(window, chunkStream: 2))
        let frame = FLVVideo.frame(isKeyframe: true, offset: 0, Array(repeating: 0, count: 30_000)[...])
        var acknowledgements = 0
        for time in 0..<22 {
            let events = try exchange.server.receive(exchange.publisher.video(frame, at: UInt32(time))[...])
            acknowledgements += events.count { if case .send = $0 { true } else { false } }
        }
        #expect(acknowledgements == 7)
    }

    @Test("The parts of an aggregate have their own times")
    func aggregate() throws {
        var exchange = Exchange()
        try exchange.begin()
        try exchange.accept()
        let payload: [UInt8] = [
            8, 0, 0, 3, 0, 0, 10, 0, 0, 0, 0, 0xAF, 1, 5, 0, 0, 0, 14, 18, 0, 0, 1, 0, 0, 11, 0, 0, 0, 0, 2,
            0, 0, 0, 12,
            8, 0, 0, 3, 0, 0, 30, 0, 0, 0, 0, 0xAF, 1, 6,
        ]
        let message = RTMPPacket(type: 22, timestamp: 1000, stream: 1, payload: payload)
        let events = try exchange.server.receive(ChunkWriter().write(message, chunkStream: 4)[...])
        #expect(
            events == [.audio(timestamp: 1000, .frame([5])), .audio(timestamp: 1020, .frame([6]))]
        )
    }

    @Test("Media after the end of a stream is ignored")
    func mediaAfterEnd() throws {
        var exchange = Exchange()
        try exchange.begin()
        try exchange.accept()
        let late = exchange.publisher.audio(.frame([1]), at: 5)
        try exchange.toServer(exchange.publisher.end())
        #expect(try exchange.server.receive(late[...]).isEmpty)
        #expect(!exchange.server.isPublishing)
    }
}
