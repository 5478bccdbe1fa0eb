internal import Basics

/// The connections of a client, one after another: their numbers, the waits between them, and the deadlines that count.
struct Reconnection<Deadline: Hashable & Sendable>: Sendable {
    enum Link: Hashable, Sendable {
        case stopped
        /// The connection is being opened, or is open and has received nothing that makes it ready.
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

    /// Begins a connection, and returns its number.
    mutating func open() -> Int {
        connections += 1
        link = .opening(connections)
        return connections
    }

    /// Notes that the connection is ready, so that the next wait is the first one again.
    mutating func setReady() {
        guard let connection else { return }
        link = .ready(connection)
        backoff.reset()
    }

    /// Ends everything.
    ///
    /// - Returns: The number of the connection that is to be closed, if any.
    mutating func stop() -> Int? {
        defer { (link, serials) = (.stopped, [:]) }
        return connection
    }

    /// Begins the wait for the next connection, and returns its length.
    mutating func wait() -> Duration {
        (link, serials) = (.waiting, [:])
        return backoff.next(random: Double.random(in: 0..<1, using: &random))
    }

    // MARK: Deadlines

    /// Begins a deadline in place of an earlier one of its kind, and returns its serial number.
    mutating func start(_ deadline: Deadline) -> Int {
        lastSerial += 1
        serials[deadline] = lastSerial
        return lastSerial
    }

    mutating func cancel(_ deadline: Deadline) { serials[deadline] = nil }

    func isRunning(_ deadline: Deadline) -> Bool { serials[deadline] != nil }

    /// Ends a deadline; false if it does not count any more.
    mutating func end(_ deadline: Deadline, serial: Int) -> Bool {
        guard serials[deadline] == serial else { return false }
        serials[deadline] = nil
        return true
    }
}
