/// What a server has to do with others.
struct ClusterCounts: Hashable, Sendable {
    /// Whether Redis is there; without it, rooms are this server's alone.
    var isUp = false
    /// How often Redis was lost.
    var losses = 0
    /// Servers of our kind that share the rooms now, this one among them.
    var nodes = 0
    /// Servers of other makers that do.
    var foreignNodes = 0
    /// Who is known to be in rooms of ours on other servers.
    var remoteMembers = 0
    /// Events passed on to other servers.
    var published = 0
    /// Events that came from other servers and were for somebody here.
    var delivered = 0
    var refused = Tally<AdapterRefusal>()
}
