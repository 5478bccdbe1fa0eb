internal import Basics
internal import LiveCore
internal import RTMP

/// The fuzz target for the connections of encoders and servers, and for the packaging of what encoders publish.
///
/// The first byte selects the part, and the second one the number of bytes that arrive at a time.
package enum RTMPTarget {
    private static let key = "key"
    /// The bytes with which an encoder begins, up to its request to publish.
    private static let beginning: [UInt8] = {
        let writer = ChunkWriter()
        func command(_ values: [AMFValue]) -> [UInt8] {
            writer.write(RTMPPacket(type: 20, payload: AMFEncoder.encode(values)), chunkStream: 3)
        }
        return [3] + [UInt8](repeating: 0, count: 3072)
            + command(["connect", 1, ["app": "app"]]) + command(["createStream", 2, .null])
            + command(["publish", 3, .null, .string(key), "live"])
    }()

    package static func take(_ input: UnsafeRawBufferPointer) {
        guard input.count > 2 else { return }
        let bytes = Array(input.dropFirst(2))
        let size = max(1, Int(input[1]))
        switch input[0] % 5 {
        case 0: connect(bytes, inPiecesOf: size, after: [])
        case 1: connect(bytes, inPiecesOf: size, after: beginning)
        case 2: publish(bytes, inPiecesOf: size)
        case 3: readValues(bytes)
        default: package(bytes)
        }
    }

    private static func pieces(_ bytes: [UInt8], of size: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
    }

    /// Handles the bytes of an encoder, whose stream is accepted.
    private static func connect(_ bytes: [UInt8], inPiecesOf size: Int, after beginning: [UInt8]) {
        var session = IngestSession()
        var packager = SegmentPackager(duration: .seconds(1))
        for piece in [beginning[...]] + pieces(bytes, of: size) {
            guard var events = try? session.receive(piece) else { return }
            while let event = events.first {
                events.removeFirst()
                switch event {
                case .publish:
                    guard let more = try? session.accept() else { return }
                    events += more
                case .video(let timestamp, .configuration(let record)):
                    add(.videoConfiguration(record), at: timestamp, to: &packager)
                case .video(let timestamp, .frame(let isKeyframe, let offset, let units)):
                    add(.video(isKeyframe: isKeyframe, offset: offset, units), at: timestamp, to: &packager)
                case .audio(let timestamp, .configuration(let config)):
                    add(.audioConfiguration(config), at: timestamp, to: &packager)
                case .audio(let timestamp, .frame(let frame)):
                    add(.audio(frame), at: timestamp, to: &packager)
                case .send, .video, .audio, .ended, .closed: break
                }
            }
            precondition(
                session.storedBytes <= beginning.count + bytes.count,
                "more is stored than was received"
            )
        }
    }

    /// Handles the bytes of a server that an encoder connects to.
    private static func publish(_ bytes: [UInt8], inPiecesOf size: Int) {
        var session = PublishSession(url: "rtmp://host/app", app: "app", key: key)
        let handshake = [3] + [UInt8](repeating: 0, count: 3072)
        for piece in [handshake[...]] + pieces(bytes, of: size) {
            guard (try? session.receive(piece)) != nil else { return }
        }
    }

    /// Decodes values; they must stay the same when they are encoded and decoded again.
    private static func readValues(_ bytes: [UInt8]) {
        guard let values = try? AMFDecoder.decode(bytes) else { return }
        let encoded = AMFEncoder.encode(values)
        guard let again = try? AMFDecoder.decode(encoded) else {
            preconditionFailure("\(values) cannot be read")
        }
        // Numbers that are not equal to themselves prevent a comparison of values.
        precondition(AMFEncoder.encode(again) == encoded, "\(values) are read as other values")
    }

    /// Packages samples, each of which has a kind, a timestamp, a length and its bytes.
    private static func package(_ bytes: [UInt8]) {
        var packager = SegmentPackager(duration: .seconds(1))
        var rest = bytes[...]
        while rest.count > 4 {
            let header = Array(rest.prefix(4))
            rest = rest.dropFirst(4)
            let timestamp = UInt32(header[1]) << 24 | UInt32(header[2]) << 4
            let payload = rest.prefix(Int(header[3]))
            rest = rest.dropFirst(payload.count)
            let sample: SegmentPackager.Sample =
                switch header[0] % 5 {
                case 0: .videoConfiguration(payload)
                case 1: .audioConfiguration(payload)
                case 2: .audio(payload)
                case 3: .video(isKeyframe: true, offset: Int(header[0]) - 128, payload)
                default: .video(isKeyframe: false, offset: 0, payload)
                }
            add(sample, at: timestamp, to: &packager)
        }
        check(packager.finish())
    }

    private static func add(
        _ sample: SegmentPackager.Sample,
        at timestamp: UInt32,
        to packager: inout SegmentPackager
    ) {
        let now = Timestamp(milliseconds: Int64(timestamp))
        check((try? packager.add(sample, at: timestamp, now: now)) ?? nil)
    }

    private static func check(_ segment: LiveSegment?) {
        guard let segment else { return }
        precondition(segment.bytes.count.isMultiple(of: 188), "a segment has incomplete packets")
        precondition(segment.bytes.first == 0x47, "a segment does not begin with a packet")
        precondition(segment.duration > .zero, "a segment has no duration")
    }
}
