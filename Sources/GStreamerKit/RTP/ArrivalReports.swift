internal import CGStreamer
internal import GLibKit
internal import Synchronization

/// A limit on the size of the transport-wide feedback that an rtpsession sends.
///
/// The rtpsession of GStreamer 1.22 ends the process if a report does not fit into an RTCP packet. This happens if a
/// few hundred packets with irregular transport-wide numbers or arrival times arrive between two reports.
struct ArrivalReports: Sendable {
    /// The maximum time between two reports, in milliseconds.
    static let longestInterval = 250
    /// The maximum number of bytes that a packet adds to a report: in order, after a gap or a pause, and out of order.
    private static let (plain, irregular, unordered) = (1.0, 9.0, 40.0)
    /// The number of packets that one chunk of a report can skip (draft-holmer-rmcat-transport-wide-cc-extensions-01
    /// §3.1.3), and the size of the chunk in bytes.
    private static let (skipped, chunk) = (8191, 2.0)
    /// The time between two packets, in nanoseconds, above which a report needs a longer field; with a margin.
    private static let longestStep: UInt64 = 60_000_000

    /// The bytes that may be added to reports: at most 1,200 in `longestInterval`, which fit into an RTCP packet of
    /// 1,400 bytes together with its headers and the entry of one more packet.
    private var allowance = Allowance(maximum: 450, perSecond: 3000)
    /// The latest packet by number, and its arrival in nanoseconds; nil before the first one.
    private var latest: (number: UInt16, time: UInt64)?

    /// Decides whether the packet with this number, which arrived at this time in nanoseconds, may be reported.
    mutating func admits(_ number: UInt16, at time: UInt64) -> Bool {
        let former = latest ?? (number &- 1, time)
        let step = Int(Int16(bitPattern: number &- former.number))
        let isSteady = time >= former.time && time - former.time < Self.longestStep
        var bytes = step == 1 && isSteady ? Self.plain : Self.irregular
        if step < 1 { bytes = Self.unordered } else { bytes += Double(step / Self.skipped) * Self.chunk }
        guard allowance.take(bytes, at: time) else { return false }
        if step > 0 { latest = (number, time) }
        return true
    }
}

/// The header extension with the transport-wide number in an RTP packet (RFC 8285 §4.2).
enum TransportNumber {
    /// The URI of the header extension.
    static let uri = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

    /// Finds the first number with this ID in a packet, and the position of the extension, which takes three bytes; nil
    /// if there is none.
    static func find(_ id: UInt8, in packet: UnsafeRawBufferPointer) -> (position: Int, number: UInt16)? {
        guard packet.count >= 12, packet[0] & 0x10 != 0 else { return nil }
        var position = 12 + 4 * Int(packet[0] & 0x0F)
        guard packet.count >= position + 4, packet[position] == 0xBE, packet[position + 1] == 0xDE else {
            return nil
        }
        let end = position + 4 + 4 * (Int(packet[position + 2]) * 256 + Int(packet[position + 3]))
        position += 4
        while position + 2 < min(end, packet.count) {
            let (found, length) = (packet[position] >> 4, Int(packet[position] & 0x0F) + 1)
            // The ID 15 ends the extensions, and the ID 0 is a byte of padding.
            if found == 15 { return nil }
            if found == id {
                let number = UInt16(packet[position + 1]) << 8 | UInt16(packet[position + 2])
                return length == 2 ? (position, number) : nil
            }
            position += found == 0 ? 1 : 1 + length
        }
        return nil
    }

    /// Finds the IDs of the header extension in the caps of a stream; hostile or unusual peers negotiate several.
    static func ids(in caps: Caps) -> [UInt8] {
        (1...14 as ClosedRange<UInt8>).filter { caps.string("extmap-\($0)") == uri }
    }
}

/// The IDs that the header extension with the transport-wide number may have in received packets.
///
/// An rtpsession uses the ID of the latest format that it has learned, which depends on the packets that it has
/// accepted. Therefore each ID that was ever negotiated is stored.
struct ReceivedIDs: Sendable {
    private(set) var all: Set<UInt8> = []
    /// The payload types whose formats are known.
    private var types: Set<UInt8> = []

    /// Forgets the known payload types, because formats were negotiated again.
    mutating func clear() { types = [] }

    func isKnown(_ type: UInt8) -> Bool { types.contains(type) }

    /// Adds the IDs in `caps`; if `isWhole` is true, the format of the payload type is known from now on.
    ///
    /// Has no effect if `caps` is nil.
    mutating func set(_ type: UInt8, _ caps: Caps?, isWhole: Bool) {
        guard let caps else { return }
        if isWhole { types.insert(type) }
        all.formUnion(TransportNumber.ids(in: caps))
    }
}

extension Pad {
    /// Overwrites the transport-wide numbers of packets that `ArrivalReports` does not admit.
    ///
    /// This must be the sink pad of an rtpsession for received packets.
    func limitArrivalReports(of session: Element) {
        let reports = Mutex(ArrivalReports())
        let received = Mutex(ReceivedIDs())
        let weak = WeakElement(session)
        session.object.connect("clear-pt-map") { _ in received.withLock { $0.clear() } }
        addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { pad, info in
            info.forEachWritableBuffer { packet in
                guard let type = packet.withBytes({ $0.count < 12 ? nil : $0[1] & 0x7F }) ?? nil else {
                    return
                }
                if !received.withLock({ $0.isKnown(type) }) {
                    let own = gst_pad_get_current_caps(pad).map(Caps.init(taking:))
                    let caps = weak.element.flatMap { callrunner_request_caps($0.pointer, guint(type)) }
                    received.withLock { received in
                        // The formats at the pad may be those of any payload type.
                        received.set(type, own, isWhole: false)
                        received.set(type, caps.map(Caps.init(taking:)), isWhole: true)
                    }
                }
                let arrival = UInt64(packet.pointee.dts)
                let time = arrival == UInt64.max ? MediaClock.shared.now : arrival
                for id in received.withLock({ $0.all }) {
                    // After one number is overwritten, the session would find the next number with this ID, if any.
                    while let (position, number) = packet.withBytes({ TransportNumber.find(id, in: $0) })
                        ?? nil,
                        !reports.withLock({ $0.admits(number, at: time) })
                    {
                        gst_buffer_fill(packet, gsize(position), [0, 0, 0] as [UInt8], 3)
                    }
                }
            }
            return GST_PAD_PROBE_OK
        }
    }
}
