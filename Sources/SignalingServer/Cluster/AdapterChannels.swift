/// The Redis channels of the classic Socket.IO adapter for the namespace `/`, and one of our own.
enum AdapterChannels {
    static let everybody = "socket.io#/#"
    static let broadcastPattern = "socket.io#/#*"
    static let requests = "socket.io-request#/#"
    static let responses = "socket.io-response#/#"
    /// What the adapter has no words for; only servers of our kind listen here.
    static let nodes = "callrunner#/#"

    /// Where adapters may answer the one server that asks.
    static func responses(to node: String) -> String { "\(responses)\(node)#" }

    /// Where what is for one room alone is published.
    static func room(_ room: String) -> String { "\(everybody)\(room)#" }

    /// The room of a channel that is for one alone; nil for everybody's.
    ///
    /// Namespaces other than `/` have channels that begin otherwise.
    static func room(of channel: String) -> String? {
        guard channel.hasPrefix(everybody), channel.hasSuffix("#"), channel.utf8.count > everybody.utf8.count
        else { return nil }
        return String(channel.dropFirst(everybody.count).dropLast())
    }
}
