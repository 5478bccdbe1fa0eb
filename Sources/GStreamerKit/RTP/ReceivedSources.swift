/// The SSRCs under which a peer sends, of which only so many are heard.
///
/// For each one SRTP, RTP and webrtcbin keep what they know of it, before they know whether anything is to come.
struct ReceivedSources: Sendable {
    /// More than a call has at a time, with what its peer may have had before.
    static let most = 32
    /// How long one that is silent keeps its place; nanoseconds.
    static let patience: UInt64 = 30_000_000_000

    /// When each was last heard; nanoseconds.
    private var heard: [UInt32: UInt64] = [:]

    /// Whether a packet of this SSRC is taken.
    mutating func admits(_ ssrc: UInt32, at now: UInt64) -> Bool {
        if heard[ssrc] == nil, heard.count >= Self.most {
            guard let oldest = heard.min(by: { $0.value < $1.value }), now >= oldest.value &+ Self.patience
            else { return false }
            heard[oldest.key] = nil
        }
        heard[ssrc] = now
        return true
    }
}

/// What stands in clear at the beginning of SRTP and SRTCP (RFC 3711 §3).
enum SRTPHeader {
    /// In bytes, with as many contributing sources as there can be.
    static let longest = 12 + 15 * 4

    /// Whether all sources named by the header satisfy `predicate`: the SSRC of its sender, and contributing sources
    /// (RFC 3550 §5.1), which a session keeps as well.
    ///
    /// Also true for what is neither SRTP nor SRTCP (RFC 7983 §7, RFC 5761 §4), or too short.
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
