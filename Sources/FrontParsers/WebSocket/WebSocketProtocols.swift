internal import Basics

/// The subprotocols that a client offers for a WebSocket (RFC 6455 §11.3.4).
///
/// Engine.IO defines none, but browsers fail a connection if none of the offered subprotocols is selected.
/// The server selects the first one, like the WebSocket library of the official server.
struct WebSocketProtocols: Hashable, Sendable {
    /// The client's preferred subprotocol.
    let first: String

    /// Parses the header's values; nil if they are not a list of distinct tokens (RFC 9110 §5.6.2).
    init?(_ values: [String]) {
        var names: Set<Substring> = []
        let items = values.joined(separator: ",").split(separator: ",", omittingEmptySubsequences: false)
            .map(\.withoutOptionalSpace)
        for item in items {
            guard item.isHTTPToken, names.insert(item).inserted else { return nil }
        }
        guard let first = items.first else { return nil }
        self.first = String(first)
    }
}
