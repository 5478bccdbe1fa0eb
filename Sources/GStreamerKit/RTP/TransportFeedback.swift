/// A report of the peer about the arrival of our packets
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1).
struct TransportFeedback: Hashable, Sendable {
    /// The maximum number of packets in a report: more than video at 40 Mb/s has in a second.
    static let maximumPackets = SentPackets.capacity
    /// The units of times, in nanoseconds.
    private static let (referenceUnit, deltaUnit): (Int64, Int64) = (64_000_000, 250_000)

    /// The transport-wide number of the first packet.
    let base: UInt16
    /// The number of the report, modulo 256.
    let count: UInt8
    /// The time to which the arrival times relate, in units of 64 ms, modulo 2²⁴.
    let reference: UInt32
    /// The arrival of each packet in nanoseconds after `reference`; nil for a packet that has not arrived.
    let arrivals: [Int64?]

    /// Parses the feedback control information (RFC 4585 §6.1); nil if it is malformed or reports on too many packets.
    init?(_ content: ArraySlice<UInt8>) {
        var reader = ByteReader(content)
        guard let base = reader.number(2), let packets = reader.number(2), let reference = reader.number(3),
            let count = reader.number(1), (1...Self.maximumPackets).contains(packets),
            let symbols = Self.symbols(packets, from: &reader)
        else { return nil }
        var (arrivals, time): ([Int64?], Int64) = ([], 0)
        arrivals.reserveCapacity(packets)
        for symbol in symbols {
            guard symbol != .lost else {
                arrivals.append(nil)
                continue
            }
            let delta =
                symbol == .near
                ? reader.number(1) : reader.number(2).map { Int(Int16(truncatingIfNeeded: $0)) }
            guard let delta else { return nil }
            time += Int64(delta) * Self.deltaUnit
            arrivals.append(time)
        }
        (self.base, self.count) = (UInt16(base), UInt8(count))
        (self.reference, self.arrivals) = (UInt32(reference), arrivals)
    }

    /// Converts a reference time without wraps to nanoseconds.
    ///
    /// The result wraps: a hostile peer may make the time so large that it would overflow.
    static func nanoseconds(_ reference: Int64) -> Int64 { reference &* referenceUnit }

    /// Reads the chunks with the states of all packets; nil if one is missing or invalid.
    private static func symbols(_ packets: Int, from reader: inout ByteReader) -> [Symbol]? {
        var symbols: [Symbol] = []
        symbols.reserveCapacity(packets)
        while symbols.count < packets {
            guard let chunk = reader.number(2) else { return nil }
            let missing = packets - symbols.count
            if chunk & 0x8000 == 0 {
                guard let symbol = Symbol(rawValue: chunk >> 13) else { return nil }
                symbols.append(contentsOf: repeatElement(symbol, count: min(missing, chunk & 0x1FFF)))
                continue
            }
            let width = chunk & 0x4000 == 0 ? 1 : 2
            for index in 0..<min(missing, 14 / width) {
                let bits = chunk >> (14 - width * (index + 1)) & (width == 1 ? 1 : 3)
                guard let symbol = Symbol(rawValue: bits) else { return nil }
                symbols.append(symbol)
            }
        }
        return symbols
    }

    /// The state of a packet, by its symbol.
    private enum Symbol: Int {
        case lost = 0
        /// Received; the time difference is encoded in one byte.
        case near = 1
        /// Received; the time difference is encoded in two bytes, and may be negative.
        case far = 2
    }
}
