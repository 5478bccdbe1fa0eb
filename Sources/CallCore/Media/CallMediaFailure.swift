package import Basics

/// The reason why the media of a call ended or could not begin.
package enum CallMediaFailure: Error, Hashable, Sendable {
    /// A source, a device, a recording or a pipeline failed.
    case local(MediaFailure)
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

    /// Converts an error of a media service; an error of any other type is a failure at `element`.
    package init(_ error: any Error, at element: String) {
        let local = error as? MediaFailure ?? .pipeline(element: element, message: "\(error)")
        self = error as? CallMediaFailure ?? .local(local)
    }
}
