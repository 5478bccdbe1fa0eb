/// Why media ended or could not begin.
package enum MediaFailure: Error, Hashable, Sendable {
    /// The source is missing, unreadable, not media, or its device does not answer.
    case source(message: String, hint: String)
    /// GStreamer lacks elements; names of elements.
    case missingPlugin([String])
    case iceFailed(detail: String)
    /// Only relays may be used, and no TURN server gives one; where all refuse, asking again is in vain.
    case relay(message: String, hint: String, isRefusal: Bool)
    /// This machine has none of the addresses that may be used.
    case noAddress(String)
    case dtlsFailed(detail: String)
    /// The certificate shown is not the one that the peer's description names, or none that can be judged.
    case unverifiedPeer(detail: String)
    /// The peer's description cannot be parsed or applied.
    case badDescription(String)
    /// No codec that both sides and the recording's container know.
    case noCommonCodec(offered: [String], accepted: [String])
    /// What the peer has, or the source, is not what this call is for; a sentence.
    case nothingToCarry(String)
    case recording(message: String, hint: String)
    /// A pipeline broke.
    case pipeline(element: String, message: String)
}
