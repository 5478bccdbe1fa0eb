/// Why nothing is done with what came over a Redis channel.
enum AdapterRefusal: Int, Error, TallyKind {
    /// It is not what the adapters publish.
    case malformed
    /// It has more bytes than a message may have.
    case oversized
    /// It is for a namespace that is not here.
    case otherNamespace
    /// It asks for what no room of ours can do.
    case unsupported
    /// Its answer would be too large beside those that wait for Redis.
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
