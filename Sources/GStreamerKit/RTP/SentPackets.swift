/// The outcome of one packet that we sent, according to the peer's transport-wide feedback.
package struct TransportPacket: Hashable, Sendable {
    /// The transport-wide sequence number in the header extension; it wraps.
    package var sequence: UInt16
    /// The sending time in nanoseconds on our clock.
    package var sent: UInt64
    /// The arrival time in nanoseconds on the peer's clock, whose origin is arbitrary; nil if the packet was
    /// lost.
    package var arrived: UInt64?
    /// The size of the payload in bytes.
    package var size: Int

    package init(sequence: UInt16, sent: UInt64, arrived: UInt64?, size: Int) {
        (self.sequence, self.sent, self.arrived, self.size) = (sequence, sent, arrived, size)
    }
}

/// The transport-wide numbers of sent packets, which are stored until the peer reports on the packets.
struct SentPackets: Sendable {
    /// The number of packets that are stored: those of several seconds at 20 Mb/s.
    static let capacity = 8192

    private struct Sent {
        var time: UInt64
        var size: Int32
    }

    /// The latest packets, each at its index modulo `capacity`.
    private var packets: [Sent] = []
    /// The number of packets that were sent.
    private var total = 0
    /// The index of the first packet on which the peer has not reported.
    private var first = 0
    /// The expected number of the next report, and of its first packet; nil before the first report.
    private var expected: (count: UInt8, base: UInt16)?
    /// The latest reference time in units of 64 ms, without wraps; nil before the first report.
    private var reference: Int64?

    /// Adds a packet with a payload of `size` bytes, sent at this time in nanoseconds, and returns its number.
    mutating func add(size: Int, at time: UInt64) -> UInt16 {
        let sent = Sent(time: time, size: Int32(clamping: size))
        if packets.count < Self.capacity {
            packets.append(sent)
        } else {
            packets[total % Self.capacity] = sent
        }
        defer { total += 1 }
        return UInt16(truncatingIfNeeded: total)
    }

    /// Returns the outcome of the packets in a report, in the order of their numbers; no packet is returned twice.
    ///
    /// Packets between the previous report and this one count as lost, unless a report between them is missing. Packets
    /// that are no longer stored are left out, and reports on packets that were not sent are ignored.
    mutating func outcome(of report: TransportFeedback) -> [TransportPacket] {
        guard let last = index(of: report.base &+ UInt16(report.arrivals.count - 1)) else { return [] }
        let start = last - report.arrivals.count + 1
        let begin = max(oldest, start - gap(before: report))
        let reference = TransportFeedback.nanoseconds(unwrapped(report.reference))
        first = last + 1
        return (begin...last).map { index in
            let arrival = index < start ? nil : report.arrivals[index - start]
            let sent = packets[index % Self.capacity]
            return TransportPacket(
                sequence: UInt16(truncatingIfNeeded: index),
                sent: sent.time,
                arrived: arrival.map { UInt64(max(0, reference &+ $0)) },
                size: Int(sent.size)
            )
        }
    }

    /// Returns the number of packets between the previous report and this one; 0 if a report between them is missing.
    private mutating func gap(before report: TransportFeedback) -> Int {
        let next = (count: report.count &+ 1, base: report.base &+ UInt16(report.arrivals.count))
        guard let former = expected else {
            expected = next
            return 0
        }
        // A report that arrives after later ones does not change what is expected next.
        guard Int8(bitPattern: report.count &- former.count) >= 0 else { return 0 }
        expected = next
        let gap = Int(report.base &- former.base)
        return report.count == former.count && gap <= UInt16.max / 2 ? gap : 0
    }

    /// Returns the reference time without wraps, in units of 64 ms.
    private mutating func unwrapped(_ wrapped: UInt32) -> Int64 {
        // One wrap is added, so that times before the first one are not negative.
        let former = reference ?? Int64(wrapped) + 1 << 24
        let difference = Int32(bitPattern: (wrapped &- UInt32(truncatingIfNeeded: former)) << 8) >> 8
        let time = former + Int64(difference)
        reference = time
        return time
    }

    /// The index of the first packet on which the peer may report.
    private var oldest: Int { max(first, total - Self.capacity) }

    /// Returns the index of a packet on which the peer may report; nil if there is none with this number.
    private func index(of number: UInt16) -> Int? {
        let index = total - 1 - Int(UInt16(truncatingIfNeeded: total - 1) &- number)
        return index >= oldest ? index : nil
    }
}
