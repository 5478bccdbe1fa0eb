/// The Redis channels of the classic Socket.IO adapter for the namespace `/`, and one specific to callrunner.
enum AdapterChannels {
    static let everybody = "socket.io#/#"
    static let broadcastPattern = "socket.io#/#*"
    static let requests = "socket.io-request#/#"
    static let responses = "socket.io-response#/#"
    /// The channel for messages between callrunner servers, for which the adapter has no format.
    static let nodes = "callrunner#/#"

    /// Returns the name of the channel for responses to a single server.
    static func responses(to node: String) -> String { "\(responses)\(node)#" }

    /// Returns the name of the channel for events of a single room.
    static func room(_ room: String) -> String { "\(everybody)\(room)#" }

    /// Extracts the room from the name of a room's channel; nil for the channel for all clients.
    ///
    /// The result is also nil for channels of other namespaces than `/`, whose names begin differently.
    static func room(of channel: String) -> String? {
        guard channel.hasPrefix(everybody), channel.hasSuffix("#"), channel.utf8.count > everybody.utf8.count
        else { return nil }
        return String(channel.dropFirst(everybody.count).dropLast())
    }
}
