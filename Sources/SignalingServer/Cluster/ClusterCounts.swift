internal import HTTPFront

/// The metrics of a server that shares its rooms with other servers.
struct ClusterCounts: Hashable, Sendable {
    /// Whether Redis can be reached and accepts commands; if not, rooms are not shared with other servers.
    var isUp = false
    /// The number of times that sharing stopped, because the connection to Redis was lost or Redis refused a
    /// command.
    var losses = 0
    /// The number of callrunner servers that share the rooms now, including this one.
    var nodes = 0
    /// The number of servers of other Socket.IO implementations that share the rooms now.
    var foreignNodes = 0
    /// The number of known members on other servers, in rooms with members on this server.
    var remoteMembers = 0
    /// The number of events published for other servers.
    var published = 0
    /// The number of events delivered from other servers, counted once per recipient.
    var delivered = 0
    var refused = Tally<AdapterRefusal>()
}
