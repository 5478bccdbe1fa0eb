internal import HTTPFront

/// The reason for ignoring a message from a Redis channel.
enum AdapterRefusal: Int, Error, TallyKind {
    /// The message is not in the expected format.
    case malformed
    /// The message has more bytes than allowed.
    case oversized
    /// The message is for a namespace that does not exist on this server.
    case otherNamespace
    /// The message requests an operation that this server does not support.
    case unsupported
    /// The response would be too large, or too many bytes of earlier responses still wait for Redis.
    case tooBusy

    static let labelName = "reason"

    var label: String {
        switch self {
        case .malformed, .oversized, .unsupported: "\(self)"
        case .otherNamespace: "other_namespace"
        case .tooBusy: "too_busy"
        }
    }
}
