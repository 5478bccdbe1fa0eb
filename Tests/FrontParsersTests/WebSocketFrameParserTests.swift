import FrontTesting
import NIOCore
import Testing

@testable import FrontParsers

@Suite("WebSocket frames")
struct WebSocketFrameParserTests {
    /// Parses the pieces in order, and returns the parser's events as text.
    ///
    /// A violation is the last element.
    private func events(of pieces: [ArraySlice<UInt8>], maximumLength: Int = 100_000) -> [String] {
        var parser = WebSocketFrameParser(maximumLength: maximumLength)
        var events: [String] = []
        do throws(WebSocketViolation) {
            for piece in pieces {
                parser.append(ByteBuffer(bytes: piece))
                while let event = try parser.next() {
                    if let text = text(event) { events.append(text) }
                }
            }
        } catch {
            events.append("\(error)")
        }
        return events
    }

    private func events(of bytes: [UInt8], maximumLength: Int = 100_000) -> [String] {
        events(of: [bytes[...]], maximumLength: maximumLength)
    }

    private func text(_ event: WebSocketFrameParser.Event) -> String? {
        switch event {
        case .message(let message):
            "\(message.isText ? "text" : "binary") \(String(buffer: message.payload))"
        case .ping(let data): "ping \(String(buffer: data))"
        case .pong: "pong"
        case .fragment: nil
        case .close(let code): "close \(code)"
        }
    }

    private func frame(_ firstByte: UInt8, _ text: String, isMasked: Bool = true) -> [UInt8] {
        ClientFrame.bytes(firstByte, Array(text.utf8), isMasked: isMasked)
    }

    @Test(
        "A payload is read completely with each of the three length encodings",
        arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000]
    )
    func lengths(length: Int) {
        let payload = (0..<length).map { UInt8(0x20 + $0 % 90) }
        let expected = String(decoding: payload, as: UTF8.self)
        for firstByte in [UInt8(0x81), 0x82] {
            let bytes = ClientFrame.bytes(firstByte, payload)
            #expect(events(of: bytes) == ["\(firstByte == 0x81 ? "text" : "binary") \(expected)"])
        }
    }

    @Test(
        "A message is forwarded as an unmasked frame with the shortest length encoding",
        arguments: [(0, 2), (125, 2), (126, 4), (65_535, 4), (65_536, 10)]
    )
    func outgoing(length: Int, headerLength: Int) throws {
        let payload = [UInt8](repeating: 0x61, count: length)
        // The message arrives as a single frame, then in two fragments.
        for bytes in [
            ClientFrame.bytes(0x81, payload),
            ClientFrame.bytes(0x01, Array(payload.prefix(length / 2)))
                + ClientFrame.bytes(0x80, Array(payload.dropFirst(length / 2))),
        ] {
            var parser = WebSocketFrameParser(maximumLength: 100_000)
            parser.append(ByteBuffer(bytes: bytes))
            var event = try parser.next()
            if case .fragment? = event { event = try parser.next() }
            guard case .message(let message)? = event else {
                Issue.record("no message")
                continue
            }
            let frame = Array(message.frame.readableBytesView)
            #expect(frame.count == headerLength + length)
            #expect(frame[0] == 0x81)
            let size = headerLength - 2
            #expect(frame[1] == [0: UInt8(length & 0x7F), 2: 126, 8: 127][size])
            #expect(size == 0 || frame[2..<headerLength].reduce(0) { $0 << 8 | Int($1) } == length)
            #expect(frame[headerLength...] == payload[...])
        }
    }

    /// A stream with all types of frames, control frames between fragments, and a two-byte length.
    private var stream: [UInt8] {
        let long = String(repeating: "é", count: 100)
        return frame(0x81, "4a€𝄞") + frame(0x82, "\u{1}\u{2}") + frame(0x01, "4b\u{7F}") + frame(0x89, "hi")
            + frame(0x00, "") + frame(0x00, "c") + frame(0x8A, "") + frame(0x80, "d")
            + frame(0x81, "4\(long)")
            + frame(0x89, "") + frame(0x02, "x") + frame(0x80, "yz") + ClientFrame.bytes(0x88, [0x03, 0xE8])
    }

    private var streamEvents: [String] {
        [
            "text 4a€𝄞", "binary \u{1}\u{2}", "ping hi", "pong", "text 4b\u{7F}cd",
            "text 4\(String(repeating: "é", count: 100))", "ping ", "binary xyz", "close 1000",
        ]
    }

    @Test("A stream of frames is parsed correctly regardless of where it is split")
    func splits() {
        #expect(events(of: stream) == streamEvents)
        for position in 0...stream.count {
            #expect(events(of: [stream[..<position], stream[position...]]) == streamEvents, "at \(position)")
        }
        #expect(events(of: stream.indices.map { stream[$0...$0] }) == streamEvents)
        for size in [2, 3, 5, 7, 11, 64] {
            let pieces = stride(from: 0, to: stream.count, by: size)
                .map { stream[$0..<min($0 + size, stream.count)] }
            #expect(events(of: pieces) == streamEvents, "in pieces of \(size)")
        }
    }

    @Test("A UTF-8 character may be split between fragments, but a message must not end within one")
    func characterInParts() {
        let euro = Array("€".utf8)
        let parts = ClientFrame.bytes(0x01, Array(euro[..<1])) + ClientFrame.bytes(0x80, Array(euro[1...]))
        #expect(events(of: parts) == ["text €"])
        #expect(events(of: ClientFrame.bytes(0x81, Array(euro[..<2]))) == ["invalidText"])
    }

    @Test(
        "A text message that is not UTF-8 is refused, whether fragmented or not",
        arguments: [
            [0xFF], [0xC3], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0x34, 0x80],
        ]
    )
    func invalidUTF8(bytes: [UInt8]) {
        #expect(events(of: ClientFrame.bytes(0x81, bytes)) == ["invalidText"])
        let parts = ClientFrame.bytes(0x01, bytes) + frame(0x80, "x")
        #expect(events(of: parts) == ["invalidText"])
        #expect(events(of: ClientFrame.bytes(0x82, bytes)).first?.hasPrefix("binary") == true)
    }

    @Test(
        "A frame that violates RFC 6455 is refused after its first two bytes",
        arguments: [
            [0x81, 0x00],  // not masked
            [0xC1, 0x80], [0xA1, 0x80], [0x91, 0x80],  // reserved bits
            [0x83, 0x80], [0x87, 0x80], [0x8B, 0x80], [0x8F, 0x80],  // unknown opcodes
            [0x80, 0x80], [0x00, 0x80],  // a continuation without a first frame
            [0x09, 0x80], [0x08, 0x80], [0x0A, 0x80],  // fragmented control frames
        ]
    )
    func breaches(start: [UInt8]) {
        #expect(events(of: start + [1, 2, 3, 4]) == ["protocolError"])
    }

    @Test("A control frame with more than 125 bytes is refused", arguments: [UInt8(0x88), 0x89, 0x8A])
    func longControlFrame(firstByte: UInt8) {
        let payload = [0x03, 0xE8] + [UInt8](repeating: 0x61, count: 123)
        #expect(events(of: ClientFrame.bytes(firstByte, payload)) != ["protocolError"])
        #expect(events(of: ClientFrame.bytes(firstByte, payload + [0x61])) == ["protocolError"])
    }

    @Test("A new message between the fragments of another is refused", arguments: [UInt8(0x81), 0x82, 0x01])
    func messageInParts(firstByte: UInt8) {
        #expect(events(of: frame(0x01, "a") + frame(firstByte, "b")) == ["protocolError"])
    }

    @Test("A continuation after a complete message is refused")
    func continuationBehindMessage() {
        let bytes = frame(0x01, "a") + frame(0x80, "b") + frame(0x80, "c")
        #expect(events(of: bytes) == ["text ab", "protocolError"])
    }

    @Test(
        "A frame with a length above the limit is refused before its payload arrives",
        arguments: [1001, 70_000, 1 << 40, .max, -1]
    )
    func tooLarge(length: Int) {
        let bits = UInt64(bitPattern: Int64(length))
        let header: [UInt8] =
            [0x82, 0xFF] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
        #expect(events(of: header + [0, 0, 0, 0], maximumLength: 1000) == ["tooLarge"])
    }

    @Test("Fragments whose total length exceeds the limit are refused")
    func partsTooLarge() {
        let part = String(repeating: "x", count: 400)
        let parts = frame(0x01, part) + frame(0x00, part)
        #expect(events(of: parts + frame(0x80, String(part.prefix(200))), maximumLength: 1000).count == 1)
        let last = ClientFrame.bytes(0x80, [], length: 201)
        #expect(events(of: parts + last, maximumLength: 1000) == ["tooLarge"])
    }

    @Test(
        "Only valid close codes are accepted",
        arguments: [
            ([], "close 1005"), ([0x03, 0xE8], "close 1000"), ([0x03, 0xE9], "close 1001"),
            ([0x0B, 0xB8], "close 3000"), ([0x13, 0x87], "close 4999"),
            ([0x03, 0xE8, 0xC3, 0xA9], "close 1000"),
            ([0x03], "protocolError"), ([0x00, 0x00], "protocolError"), ([0x03, 0xE7], "protocolError"),
            ([0x03, 0xEC], "protocolError"), ([0x03, 0xED], "protocolError"),
            ([0x03, 0xEE], "protocolError"),
            ([0x03, 0xF7], "protocolError"), ([0x0B, 0xB7], "protocolError"),
            ([0x13, 0x88], "protocolError"),
            ([0x03, 0xE8, 0xFF], "invalidText"),
        ] as [([UInt8], String)]
    )
    func closeCodes(payload: [UInt8], event: String) {
        #expect(events(of: ClientFrame.bytes(0x88, payload)) == [event])
    }

    @Test("A damaged stream results in the same events regardless of its chunks", arguments: 0..<200)
    func damaged(seed: UInt64) {
        var bytes = stream
        var state = seed
        for _ in 0..<4 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes[Int(state >> 33) % bytes.count] = UInt8(truncatingIfNeeded: state >> 24)
        }
        #expect(events(of: bytes) == events(of: bytes.indices.map { bytes[$0...$0] }))
    }
}
