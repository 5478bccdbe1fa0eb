/// In what form a peer takes Opus: what `a=fmtp` says of it (RFC 7587 §6.1, §7).
package struct OpusFormat: Hashable, Sendable {
    /// Whether its decoder makes use of what a packet carries of the one before.
    package var usesInbandFEC: Bool
    /// Whether it likes silence to be left out.
    package var usesDTX: Bool

    /// Reads the parameters of `a=fmtp`, keys in lower case; what is not said is not wanted.
    package init(parameters: [String: String]) {
        usesInbandFEC = parameters["useinbandfec"] == "1"
        usesDTX = parameters["usedtx"] == "1"
    }
}
