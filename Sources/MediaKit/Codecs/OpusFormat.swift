/// An Opus format that a peer accepts, as described by `a=fmtp` (RFC 7587 §6.1, §7).
package struct OpusFormat: Hashable, Sendable {
    /// Whether the peer's decoder uses in-band FEC, the copy of the previous packet in each packet.
    package var usesInbandFEC: Bool
    /// Whether the peer prefers discontinuous transmission (DTX) during silence.
    package var usesDTX: Bool

    /// Parses the parameters of `a=fmtp`, with lowercase keys; absent parameters count as false.
    package init(parameters: [String: String]) {
        usesInbandFEC = parameters["useinbandfec"] == "1"
        usesDTX = parameters["usedtx"] == "1"
    }
}
