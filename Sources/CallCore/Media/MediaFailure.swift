/// The reason why media ended or could not begin.
package enum MediaFailure: Error, Hashable, Sendable {
    /// The source is missing, unreadable or not media, or its device does not respond.
    case source(message: String, hint: String)
    /// GStreamer lacks the elements with these names.
    case missingPlugin([String])
    case iceFailed(detail: String)
    /// Only relay candidates may be used, and no TURN server provides one.
    ///
    /// `isRefusal` is true if all TURN servers refused, so that a retry is futile.
    case relay(message: String, hint: String, isRefusal: Bool)
    /// This host has no IP address that the call may use.
    case noAddress(String)
    case dtlsFailed(detail: String)
    /// The peer's certificate does not match the fingerprint in its description, or cannot be verified.
    case unverifiedPeer(detail: String)
    /// The peer's description cannot be parsed or applied.
    case badDescription(String)
    /// No codec is supported by both sides and, if the call is recorded, by the container.
    case noCommonCodec(offered: [String], accepted: [String])
    /// The media of the peer or of the source does not fit this call; the value is the reason in one
    /// sentence.
    case nothingToCarry(String)
    case recording(message: String, hint: String)
    /// A pipeline failed at the named element.
    case pipeline(element: String, message: String)
}
