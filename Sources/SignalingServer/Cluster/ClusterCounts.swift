/// The counts of a server's work within a cluster.
struct ClusterCounts: Hashable, Sendable {
    /// Whether Redis can be reached; otherwise the rooms are this server's alone.
    var isUp = false
    /// The number of times that the connection to Redis was lost.
    var losses = 0
    /// The number of callrunner servers that share the rooms now, including this one.
    var nodes = 0
    /// The number of foreign servers that share the rooms now.
    var foreignNodes = 0
    /// The number of known members on other servers, in rooms with members on this server.
    var remoteMembers = 0
    /// The number of events relayed to other servers.
    var published = 0
    /// The number of events from other servers for members on this server.
    var delivered = 0
    var refused = Tally<AdapterRefusal>()
}
