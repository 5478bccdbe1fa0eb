/// The SSRCs from which a peer sends, limited in number.
///
/// SRTP, RTP and webrtcbin store state for each SSRC before they know whether more packets will follow.
struct ReceivedSources: Sendable {
    /// The maximum number of SSRCs, including those that the peer no longer uses; a call uses fewer at a
    /// time.
    static let maximum = 32
    /// The maximum number of SSRCs during a call, because the state of each one is stored until the call ends.
    static let maximumInAll = 256
    /// The time in nanoseconds after which a silent SSRC may be replaced by a new one.
    static let timeout: UInt64 = 30_000_000_000

    /// The time of the latest packet of each SSRC, in nanoseconds.
    private var heard: [UInt32: UInt64] = [:]
    private var count = 0

    /// Decides whether a packet of this SSRC is accepted, and remembers the SSRC if so.
    mutating func admits(_ ssrc: UInt32, at now: UInt64) -> Bool {
        if heard[ssrc] == nil {
            guard count < Self.maximumInAll else { return false }
            if heard.count >= Self.maximum {
                guard let oldest = heard.min(by: { $0.value < $1.value }), now >= oldest.value &+ Self.timeout
                else { return false }
                heard[oldest.key] = nil
            }
            count += 1
        }
        heard[ssrc] = now
        return true
    }
}

/// The unencrypted header of SRTP and SRTCP (RFC 3711 §3).
enum SRTPHeader {
    /// The maximum length in bytes, with 15 contributing sources.
    static let longest = 12 + 15 * 4
    /// The maximum length of a packet in bytes; the packets of peers are not longer than the MTU.
    static let longestPacket = 2048
    /// The types of RTCP packets that begin a compound packet (RFC 3550 §6.1, RFC 5506 §3.4.1); all of them have the
    /// sender's SSRC at the same position.
    ///
    /// A compound packet that begins with another type, such as BYE, is dropped.
    private static let control: Set<UInt8> = [200, 201, 204, 205, 206]
    /// The payload types that can be confused with RTCP packet types (RFC 5761 §4).
    private static let ambiguous: ClosedRange<UInt8> = 64...95

    /// Whether a packet with this first byte is SRTP or SRTCP (RFC 7983 §7).
    static func isMedia(_ first: UInt8) -> Bool { (128...191).contains(first) }

    /// Checks whether all sources in the header satisfy `predicate`.
    ///
    /// These are the sender's SSRC and the contributing sources (RFC 3550 §5.1), which a session stores too. The result
    /// is also true for bytes that are neither SRTP nor SRTCP (RFC 7983 §7), or too short. It is false for bytes that
    /// GStreamer could interpret as either.
    static func allSources(of bytes: UnsafeRawBufferPointer, satisfy predicate: (UInt32) -> Bool) -> Bool {
        guard bytes.count >= 8, isMedia(bytes[0]) else { return true }
        let isControl = control.contains(bytes[1])
        guard isControl || !ambiguous.contains(bytes[1] & 0x7F) else { return false }
        let first = isControl ? 4 : 8
        let last = first + (isControl ? 0 : 4 * Int(bytes[0] & 0x0F))
        return stride(from: first, through: min(last, bytes.count - 4), by: 4).allSatisfy { place in
            predicate((place..<place + 4).reduce(0) { $0 << 8 | UInt32(bytes[$1]) })
        }
    }
}
