internal import Basics

/// The successive connections of a client: their numbers, the delays between them, and the deadlines that are running.
struct Reconnection<Deadline: Hashable & Sendable>: Sendable {
    enum Link: Hashable, Sendable {
        case stopped
        /// The connection is being opened, or is open and has not received the frame that makes it ready.
        case opening(Int)
        case ready(Int)
        case waiting
    }

    private(set) var link = Link.stopped
    private var connections = 0
    private var serials: [Deadline: Int] = [:]
    private var lastSerial = 0
    private var backoff = Backoff(initial: .milliseconds(500), maximum: .seconds(8))
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// The number of the connection that is open or being opened.
    var connection: Int? {
        switch link {
        case .opening(let connection), .ready(let connection): connection
        case .stopped, .waiting: nil
        }
    }

    /// The number of the connection that is ready.
    var readyConnection: Int? { if case .ready(let connection) = link { connection } else { nil } }

    /// Starts a new connection and returns its number.
    mutating func open() -> Int {
        connections += 1
        link = .opening(connections)
        return connections
    }

    /// Marks the connection as ready, which resets the backoff.
    mutating func setReady() {
        guard let connection else { return }
        link = .ready(connection)
        backoff.reset()
    }

    /// Stops the connection and all deadlines.
    ///
    /// - Returns: The number of the connection to be closed, if any.
    mutating func stop() -> Int? {
        defer { (link, serials) = (.stopped, [:]) }
        return connection
    }

    /// Starts the delay before the next connection and returns its length.
    mutating func wait() -> Duration {
        (link, serials) = (.waiting, [:])
        return backoff.next(random: Double.random(in: 0..<1, using: &random))
    }

    // MARK: Deadlines

    /// Starts a deadline, which replaces a running one of the same kind, and returns its serial number.
    mutating func start(_ deadline: Deadline) -> Int {
        lastSerial += 1
        serials[deadline] = lastSerial
        return lastSerial
    }

    mutating func cancel(_ deadline: Deadline) { serials[deadline] = nil }

    func isRunning(_ deadline: Deadline) -> Bool { serials[deadline] != nil }

    /// Ends a deadline; returns false if it was cancelled or replaced.
    mutating func end(_ deadline: Deadline, serial: Int) -> Bool {
        guard serials[deadline] == serial else { return false }
        serials[deadline] = nil
        return true
    }
}
