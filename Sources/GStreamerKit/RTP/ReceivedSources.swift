/// The SSRCs under which a peer sends, limited in number.
///
/// SRTP, RTP and webrtcbin keep state for each SSRC before they know whether more packets will follow.
struct ReceivedSources: Sendable {
    /// The maximum number of SSRCs, including those that the peer no longer uses; a call uses fewer at a
    /// time.
    static let maximum = 32
    /// The time in nanoseconds after which a silent SSRC may be replaced by a new one.
    static let timeout: UInt64 = 30_000_000_000

    /// The time of the latest packet of each SSRC, in nanoseconds.
    private var heard: [UInt32: UInt64] = [:]

    /// Decides whether a packet of this SSRC is accepted, and remembers the SSRC if so.
    mutating func admits(_ ssrc: UInt32, at now: UInt64) -> Bool {
        if heard[ssrc] == nil, heard.count >= Self.maximum {
            guard let oldest = heard.min(by: { $0.value < $1.value }), now >= oldest.value &+ Self.timeout
            else { return false }
            heard[oldest.key] = nil
        }
        heard[ssrc] = now
        return true
    }
}

/// The unencrypted header of SRTP and SRTCP (RFC 3711 §3).
enum SRTPHeader {
    /// The maximum length in bytes, with 15 contributing sources.
    static let longest = 12 + 15 * 4

    /// Checks whether all sources in the header satisfy `predicate`.
    ///
    /// These are the sender's SSRC and the contributing sources (RFC 3550 §5.1), which a session stores too.
    /// The result is also true for bytes that are neither SRTP nor SRTCP (RFC 7983 §7, RFC 5761 §4), or too
    /// short.
    static func allSources(of bytes: UnsafeRawBufferPointer, satisfy predicate: (UInt32) -> Bool) -> Bool {
        guard bytes.count >= 8, (128...191).contains(bytes[0]) else { return true }
        let isControl = (192...223).contains(bytes[1])
        let first = isControl ? 4 : 8
        let last = first + (isControl ? 0 : 4 * Int(bytes[0] & 0x0F))
        return stride(from: first, through: min(last, bytes.count - 4), by: 4).allSatisfy { place in
            predicate((place..<place + 4).reduce(0) { $0 << 8 | UInt32(bytes[$1]) })
        }
    }
}
