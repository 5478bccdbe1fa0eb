/// The Redis channels of the classic Socket.IO adapter for the namespace `/`, and one of our own.
enum AdapterChannels {
    static let everybody = "socket.io#/#"
    static let broadcastPattern = "socket.io#/#*"
    static let requests = "socket.io-request#/#"
    static let responses = "socket.io-response#/#"
    /// The channel for messages that the adapter has no format for; only callrunner servers subscribe to it.
    static let nodes = "callrunner#/#"

    /// Names the channel for responses to a single server.
    static func responses(to node: String) -> String { "\(responses)\(node)#" }

    /// Names the channel for events of a single room.
    static func room(_ room: String) -> String { "\(everybody)\(room)#" }

    /// Finds the room of a channel for a single room; nil for the channel for all clients.
    ///
    /// Channels of namespaces other than `/` begin differently.
    static func room(of channel: String) -> String? {
        guard channel.hasPrefix(everybody), channel.hasSuffix("#"), channel.utf8.count > everybody.utf8.count
        else { return nil }
        return String(channel.dropFirst(everybody.count).dropLast())
    }
}
