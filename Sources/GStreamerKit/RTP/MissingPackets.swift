internal import CGStreamer
internal import Synchronization

/// A limit on the gaps in the sequence numbers of a stream.
///
/// An rtpjitterbuffer starts a timer for each missing packet, and requests the packet. A hostile peer may skip
/// thousands of numbers with each packet, which occupies a CPU core and delays the end of the call by half a minute.
struct MissingPackets: Sendable {
    /// The number of packets that may be missing at the beginning.
    static let initial = 1000.0
    /// The number of further packets that may be missing per second: more than the packets of video at 20 Mb/s.
    static let perSecond = 5000.0
    private static let maximum = 32_768.0
    /// The maximum number of packets by which a packet may be late without counting as a gap.
    private static let late = 3000

    private var allowance = initial
    /// The latest number, and the time of the last packet in nanoseconds; nil before the first one.
    private var latest: (number: UInt16, time: UInt64)?

    /// Decides whether a packet may follow those before it.
    ///
    /// After a real outage or a restart of the sender, packets are admitted again within seconds.
    mutating func admits(_ number: UInt16, at now: UInt64) -> Bool {
        guard let (former, time) = latest else {
            latest = (number, now)
            return true
        }
        let seconds = Double(now > time ? now - time : 0) / 1_000_000_000
        allowance = min(Self.maximum, allowance + seconds * Self.perSecond)
        latest = (former, now)
        let step = Int(Int16(bitPattern: number &- former))
        guard !(-Self.late...0).contains(step) else { return true }
        let missing = Double(step > 0 ? step - 1 : -step)
        guard missing <= allowance else { return false }
        allowance -= missing
        latest = (number, now)
        return true
    }
}

extension JitterBuffer {
    /// Drops packets whose sequence numbers would leave more gaps than `MissingPackets` allows.
    func limitGaps() {
        let packets = Mutex(MissingPackets())
        element.pad("sink")?.addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, info in
            var number: UInt16 = 0
            guard let buffer = gst_pad_probe_info_get_buffer(info),
                gst_buffer_extract(buffer, 2, &number, 2) == 2
            else { return GST_PAD_PROBE_OK }
            let now = MediaClock.shared.now
            let isAdmitted = packets.withLock { $0.admits(UInt16(bigEndian: number), at: now) }
            return isAdmitted ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
        }
    }
}
