internal import HTTPFront

/// The metrics of a server: counts since its start, and its current state.
struct ServerCounts: Hashable, Sendable {
    var front = FrontCounts()
    /// The current number of Engine.IO sessions.
    var sessions = Tally<SessionTransport>()
    var sessionsOpened = Tally<SessionTransport>()
    /// The number of sessions that upgraded from polling to WebSocket.
    var upgrades = 0
    /// The current number of rooms with members.
    var rooms = 0
    /// The current number of members, including those that have lost their connection but may still return.
    var members = 0
    /// The current number of rooms with a caller and a callee in which an answer was relayed and the call has
    /// not ended.
    var calls = 0
    var callsBegun = 0
    var joins = 0
    var joinsRefused = Tally<CountedJoinRefusal>()
    /// The number of relayed events, each counted once per recipient.
    var relays = Tally<RelayEvent>()
    /// The size in bytes of relayed events and their attachments as received, counted once per recipient.
    var relayedBytes = 0
    /// The number of client events that were dropped.
    var eventsDropped = Tally<DroppedEvent>()
    /// The time from reading an event to writing it to its recipients.
    var relayLatency = Histogram.relay
    /// The time from reading a CONNECT packet to writing its response.
    var joinLatency = Histogram.join
    /// The counts of the services other than Engine.IO.
    var services: [ServiceCounts] = []
    /// The number of injected faults; nil without fault injection.
    var chaos: Tally<Fault>?
    /// The counts of the cluster; nil if the server does not share its rooms.
    var cluster: ClusterCounts?
    /// Whether the server refuses new joins because it is about to stop.
    var isDraining = false
}
