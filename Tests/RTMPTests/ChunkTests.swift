import RTMP
import Testing

@Suite("Chunks")
struct ChunkTests {
    private static let maximumLength = 100_000

    private func read(_ bytes: [UInt8], inPiecesOf size: Int = .max) throws -> [RTMPPacket] {
        var reader = ChunkReader(maximumLength: Self.maximumLength)
        var packets: [RTMPPacket] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            reader.append(rest.prefix(size))
            rest = rest.dropFirst(size)
            while let packet = try reader.next() { packets.append(packet) }
        }
        #expect(reader.storedBytes == 0)
        return packets
    }

    private static func packet(_ length: Int, at timestamp: UInt32 = 7) -> RTMPPacket {
        RTMPPacket(
            type: RTMPMessageType.video,
            timestamp: timestamp,
            stream: 1,
            payload: (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        )
    }

    @Test(
        "Messages are divided into chunks and joined, wherever the network cuts them",
        arguments: [1, 2, 3, 11, 12, 127, 128, 129, 1000, .max]
    )
    func joining(size: Int) throws {
        let packets = [0, 1, 127, 128, 129, 256, 5000].map { Self.packet($0) }
        let writer = ChunkWriter()
        #expect(try read(packets.flatMap { writer.write($0, chunkStream: 6) }, inPiecesOf: size) == packets)
    }

    @Test("An announced chunk size applies to the following chunks")
    func chunkSize() throws {
        var writer = ChunkWriter()
        let packets = [Self.packet(5000), Self.packet(300)]
        var bytes = writer.write(packets[0], chunkStream: 4)
        #expect(bytes.count == 12 + 5000 + 39)
        bytes += writer.announceChunkSize()
        let second = writer.write(packets[1], chunkStream: 4)
        #expect(second.count == 12 + 300)
        #expect(try read(bytes + second) == packets)
    }

    @Test(
        "Timestamps above 24 bits are extended in each chunk",
        arguments: [0xFF_FFFE, 0xFF_FFFF, 0xFFFF_FFFF]
    )
    func extendedTimestamps(timestamp: UInt32) throws {
        let packet = Self.packet(300, at: timestamp)
        #expect(try read(ChunkWriter().write(packet, chunkStream: 5), inPiecesOf: 5) == [packet])
    }

    @Test("Chunks without some fields take them from the message before")
    func shortHeaders() throws {
        let first: [UInt8] = [6, 0, 0, 100, 0, 0, 1, 9, 1, 0, 0, 0, 0xA]
        let otherLength: [UInt8] = [0x46, 0, 0, 20, 0, 0, 2, 8, 0xB, 0xC]
        let sameLength: [UInt8] = [0x86, 0, 0, 30, 0xD, 0xE]
        let sameDelta: [UInt8] = [0xC6, 0xF, 0x1]
        let packets = try read(first + otherLength + sameLength + sameDelta, inPiecesOf: 1)
        #expect(packets.map(\.timestamp) == [100, 120, 150, 180])
        #expect(packets.map(\.type) == [9, 8, 8, 8])
        #expect(packets.map(\.stream) == [1, 1, 1, 1])
        #expect(packets.map(\.payload) == [[0xA], [0xB, 0xC], [0xD, 0xE], [0xF, 0x1]])
    }

    @Test("A chunk that repeats the header of a first message repeats its timestamp as a difference")
    func repeatedTimestamp() throws {
        let packets = try read([6, 0, 0, 40, 0, 0, 1, 9, 1, 0, 0, 0, 0xA, 0xC6, 0xB])
        #expect(packets.map(\.timestamp) == [40, 80])
    }

    @Test("Timestamps wrap")
    func wrapping() throws {
        let first: [UInt8] = [6, 0xFF, 0xFF, 0xFF, 0, 0, 1, 9, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xF0, 0xA]
        #expect(try read(first + [0x86, 0, 0, 0x20, 0xB]).map(\.timestamp) == [0xFFFF_FFF0, 0x10])
    }

    @Test("Chunks of several streams may alternate")
    func interleaving() throws {
        let video: [UInt8] = [6, 0, 0, 0, 0, 0, 200, 9, 1, 0, 0, 0] + [UInt8](repeating: 1, count: 128)
        let audio: [UInt8] = [4, 0, 0, 0, 0, 0, 2, 8, 1, 0, 0, 0, 2, 2]
        let rest: [UInt8] = [0xC6] + [UInt8](repeating: 1, count: 72)
        let packets = try read(video + audio + rest)
        #expect(packets.map(\.type) == [8, 9])
        #expect(packets.map(\.payload.count) == [2, 200])
    }

    @Test(
        "IDs of chunk streams may have one, two or three bytes",
        arguments: [[3], [0, 0], [0, 255], [1, 255, 255]]
    )
    func streamIDs(header: [UInt8]) throws {
        let bytes = header + [0, 0, 5, 0, 0, 1, 9, 1, 0, 0, 0, 0xA]
        #expect(try read(bytes, inPiecesOf: 1).map(\.payload) == [[0xA]])
    }

    @Test("An abort removes the incomplete message")
    func abort() throws {
        let begun: [UInt8] = [6, 0, 0, 0, 0, 0, 200, 9, 1, 0, 0, 0] + [UInt8](repeating: 1, count: 128)
        let abort: [UInt8] = [2, 0, 0, 0, 0, 0, 4, 2, 0, 0, 0, 0, 0, 0, 0, 6]
        let next: [UInt8] = [6, 0, 0, 0, 0, 0, 1, 9, 1, 0, 0, 0, 0xB]
        #expect(try read(begun + abort + next).map(\.payload) == [[0xB]])
    }

    @Test(
        "Violations are refused",
        arguments: [
            (RTMPViolation.continuationWithoutMessage, [0xC6, 0] as [UInt8]),
            (.continuationWithoutMessage, [0x46, 0] as [UInt8]),
            (.invalidChunkSize(0), [2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
            (.invalidChunkSize(0x8000_0000), [2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0x80, 0, 0, 0]),
            (.truncated, [2, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]),
            (.messageTooLarge, [6, 0, 0, 0, 0xFF, 0xFF, 0xFF, 9, 0, 0, 0, 0]),
            (
                .messageInterrupted,
                [6, 0, 0, 0, 0, 0, 200, 9, 0, 0, 0, 0] + [UInt8](repeating: 1, count: 128) + [6, 0]
            ),
        ]
    )
    func violations(violation: RTMPViolation, bytes: [UInt8]) {
        #expect(throws: violation) { try read(bytes) }
    }

    @Test("Incomplete messages of all chunk streams share one limit")
    func incompleteMessages() {
        let begun = (3..<7 as Range<UInt8>).flatMap { stream -> [UInt8] in
            [stream, 0, 0, 0, 0, 0x80, 0, 9, 1, 0, 0, 0] + [UInt8](repeating: 1, count: 0x7FFF)
        }
        let size: [UInt8] = [2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0x7F, 0xFF]
        // Each chunk is one byte shorter than its message, and three of them are below the limit.
        #expect(throws: RTMPViolation.messageTooLarge) { try read(size + begun) }
    }

    @Test("The number of chunk streams is limited")
    func streamCount() {
        let bytes = (0...UInt8(ChunkReader.maximumStreams)).flatMap { stream -> [UInt8] in
            [0, stream, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0]
        }
        #expect(throws: RTMPViolation.tooManyChunkStreams) { try read(bytes) }
    }
}
