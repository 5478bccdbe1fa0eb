/// The counts of a server's connections since its start, and their current number.
package struct FrontCounts: Hashable, Sendable {
    /// The current number of TCP connections.
    package internal(set) var connections = 0
    package internal(set) var connectionsAccepted = 0
    package internal(set) var connectionsRefused = Tally<ConnectionRefusal>()
    /// The number of clients that were disconnected because they did not read their output.
    package internal(set) var slowConsumersClosed = Tally<SlowClient>()
    /// The number of clients that were disconnected because they did not complete a message or a body.
    package internal(set) var slowSendersClosed = Tally<SlowClient>()
    package internal(set) var rateLimited = Tally<RateLimited>()

    package init() {}
}
