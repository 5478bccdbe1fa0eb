/// Functions that parse RTCP packets (RFC 3550 §6.1).
enum RTCPPacket {
    private static let (senderReport, bye): (UInt8, UInt8) = (200, 203)
    private static let (transportFeedback, payloadFeedback): (UInt8, UInt8) = (205, 206)
    /// The formats of transport layer feedback that we offer: retransmission requests and transport-wide feedback.
    private static let (losses, arrivals): (UInt8, UInt8) = (1, 15)
    /// The packet types with SSRCs for which a session creates sources: reports and source descriptions.
    private static let (reports, description): (ClosedRange<UInt8>, UInt8) = (200...201, 202)
    /// The types of items in source descriptions: canonical names, and private extensions.
    private static let (canonicalName, privateItem): (UInt8, UInt8) = (1, 8)

    /// Checks whether the packet begins with a sender report.
    static func isSenderReport(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        bytes.dropFirst().first == senderReport
    }

    /// Checks whether the compound packet contains a BYE.
    static func containsBye(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        contains(bytes) { type, _ in type == bye }
    }

    /// Checks whether the compound packet contains transport layer feedback (RFC 4585 §6.2) that we do not offer.
    ///
    /// The rtpsession of GStreamer 1.22 deadlocks when it reads a request for a sender report (RTCP-SR-REQ, RFC 6051).
    static func containsForeignFeedback(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        contains(bytes) { type, format in type == transportFeedback && ![losses, arrivals].contains(format) }
    }

    private static func contains(
        _ bytes: some RandomAccessCollection<UInt8>,
        where isWanted: (_ type: UInt8, _ format: UInt8) -> Bool
    ) -> Bool {
        packets(in: bytes).contains { isWanted($0.type, $0.format) }
    }

    /// Splits a compound packet; the last packet may be shorter than it declares.
    ///
    /// `format` is the format of feedback; in other packets, this field contains a count.
    private static func packets<Bytes: RandomAccessCollection<UInt8>>(
        in bytes: Bytes
    ) -> some Sequence<(type: UInt8, format: UInt8, content: Bytes.SubSequence)> {
        sequence(state: bytes[...]) { rest in
            guard rest.count >= 4 else { return nil }
            let head = Array(rest.prefix(4))
            let length = (Int(head[2]) * 256 + Int(head[3])) * 4
            defer { rest = rest.dropFirst(4 + length) }
            return (head[1], head[0] & 0x1F, rest.dropFirst(4).prefix(length))
        }
    }

    /// Separates the transport-wide feedback in a compound packet from the other packets; nil if there is none.
    ///
    /// - Returns: The other packets, and the feedback control information of each transport-wide feedback packet.
    static func separatingTransportFeedback(_ bytes: UnsafeRawBufferPointer) -> (
        rest: [UInt8], reports: [[UInt8]]
    )? {
        guard contains(bytes, where: { $0 == transportFeedback && $1 == arrivals }) else { return nil }
        var (reader, rest, reports): (ByteReader, [UInt8], [[UInt8]]) = (
            ByteReader(Array(bytes)[...]), [], []
        )
        while !reader.isEmpty {
            let packets = reader.rest
            guard let first = reader.number(1), let type = reader.number(1), let words = reader.number(2),
                let content = reader.bytes(words * 4)
            else { return (rest + packets, reports) }
            if type == transportFeedback, first & 0x1F == arrivals {
                reports.append(Array(content.dropFirst(8)))
            } else {
                rest += packets.prefix(4 + content.count)
            }
        }
        return (rest, reports)
    }

    /// Counts the requests in the compound packet: the packets to retransmit (RFC 4585 §6.2.1), and the streams that
    /// need a keyframe (RFC 4585 §6.3.1, RFC 5104 §4.3.1).
    ///
    /// Transport-wide feedback counts as one request, plus one for every 32 packets that it reports.
    static func requests(_ bytes: some RandomAccessCollection<UInt8>) -> Int {
        packets(in: bytes).reduce(0) { count, packet in
            let entries = packet.content.dropFirst(8)
            return switch (packet.type, packet.format) {
            case (transportFeedback, losses): count + requestedPackets(Array(entries))
            case (transportFeedback, arrivals):
                count + 1 + entries.dropFirst(2).prefix(2).reduce(0) { $0 * 256 + Int($1) } / 32
            case (payloadFeedback, _): count + max(1, entries.count / 8)
            default: count
            }
        }
    }

    /// Counts the packets requested by the entries of a NACK: one per entry, and one for each bit that is set.
    private static func requestedPackets(_ entries: [UInt8]) -> Int {
        stride(from: 0, to: entries.count - 3, by: 4).reduce(0) { count, place in
            count + 1 + entries[place + 2].nonzeroBitCount + entries[place + 3].nonzeroBitCount
        }
    }

    /// Lists the sender SSRCs of the reports and the SSRCs of the source descriptions.
    static func sources(_ bytes: some RandomAccessCollection<UInt8>) -> [UInt32] {
        packets(in: bytes).flatMap { type, count, content in
            let content = Array(content)
            if reports.contains(type) { return ssrc(of: content[...]).map { [$0] } ?? [] }
            return type == description ? chunks(content, atMost: Int(count)).map(\.ssrc) : []
        }
    }

    /// Lists the canonical names in the source descriptions.
    ///
    /// - Returns: The names; nil if a description has a private item, several canonical names of one source, or items
    ///   that are incomplete.
    static func canonicalNames(_ bytes: some RandomAccessCollection<UInt8>) -> [[UInt8]]? {
        var names: [[UInt8]] = []
        for (type, count, content) in packets(in: bytes) where type == description {
            let chunks = chunks(Array(content), atMost: Int(count))
            guard chunks.count == Int(count) else { return nil }
            for chunk in chunks {
                let own = chunk.items.filter { $0.type == canonicalName }
                let isPrivate = chunk.items.contains { $0.type == privateItem }
                guard chunk.isWhole, own.count <= 1, !isPrivate else { return nil }
                names += own.map { Array($0.text) }
            }
        }
        return names
    }

    /// Counts the packets with payload-specific feedback (RFC 4585 §6.3).
    static func payloadFeedbacks(_ bytes: some RandomAccessCollection<UInt8>) -> Int {
        packets(in: bytes).reduce(0) { $0 + ($1.type == payloadFeedback ? 1 : 0) }
    }

    /// The description of a source (RFC 3550 §6.5).
    private struct Chunk {
        let ssrc: UInt32
        var items: [(type: UInt8, text: ArraySlice<UInt8>)] = []
        /// Whether all items are complete; the null byte that ends them may be missing at the end of the packet.
        var isWhole = true
    }

    private static func chunks(_ content: [UInt8], atMost count: Int) -> [Chunk] {
        var (position, chunks): (Int, [Chunk]) = (0, [])
        while chunks.count < count, let ssrc = ssrc(of: content.dropFirst(position)) {
            var chunk = Chunk(ssrc: ssrc)
            position += 4
            while position < content.count, content[position] != 0 {
                // Each item has a type, a length and a text.
                let end = position + 1 < content.count ? position + 2 + Int(content[position + 1]) : .max
                guard end <= content.count else {
                    (position, chunk.isWhole) = (content.count, false)
                    break
                }
                chunk.items.append((content[position], content[position + 2..<end]))
                position = end
            }
            chunks.append(chunk)
            // The next chunk begins at the next 32-bit word.
            position = (position + 4) & ~3
        }
        return chunks
    }

    private static func ssrc(of bytes: ArraySlice<UInt8>) -> UInt32? {
        bytes.count < 4 ? nil : bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
