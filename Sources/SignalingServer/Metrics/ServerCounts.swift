/// What happened on a server since it started, and what is there now.
struct ServerCounts: Hashable, Sendable {
    /// TCP connections now.
    var connections = 0
    var connectionsAccepted = 0
    var connectionsRefused = Tally<ConnectionRefusal>()
    /// Engine.IO sessions now.
    var sessions = Tally<SessionTransport>()
    var sessionsOpened = Tally<SessionTransport>()
    /// Sessions that changed from polling to WebSocket.
    var upgrades = 0
    /// Rooms that somebody is in, now.
    var rooms = 0
    /// Who is in a room now, a lost member within its grace included.
    var members = 0
    /// Rooms now in which both roles are and an answer was relayed.
    var calls = 0
    var callsBegun = 0
    var joins = 0
    var joinsRefused = Tally<CountedJoinRefusal>()
    /// Events passed on, each once for every recipient.
    var relays = Tally<RelayEvent>()
    /// Bytes of those events as they came, their attachments included, once for every recipient.
    var relayedBytes = 0
    /// Events of clients that were passed on to nobody.
    var eventsDropped = Tally<DroppedEvent>()
    /// Clients closed because they did not read what they were sent.
    var slowConsumersClosed = Tally<SlowConsumer>()
    var rateLimited = Tally<RateLimited>()
    /// From having read an event to having written it to those it is for.
    var relayLatency = Histogram.relay
    /// From having read a CONNECT packet to having written its answer.
    var joinLatency = Histogram.join
    /// What was done wrong on purpose; nil where the server does not.
    var chaos: Tally<Fault>?
    /// Nil where the server shares its rooms with no other.
    var cluster: ClusterCounts?
    /// Whether the server lets nobody in any more, because it is about to go.
    var isDraining = false
}
