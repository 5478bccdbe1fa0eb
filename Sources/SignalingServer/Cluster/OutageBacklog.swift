internal import Logging

/// The joins and departures during an outage of Redis, which are reported to the other servers afterwards.
///
/// Confined to the server's event loop.
final class OutageBacklog {
    /// The maximum number of stored departures.
    static let capacity = 1 << 16

    private let logger: Logger
    /// The members that have left, whose seats may still have to be released.
    private(set) var left: [RemoteMember] = []
    /// The ids of the sockets whose joins have not been reported.
    private(set) var joined: Set<String> = []

    init(_ logger: Logger) { self.logger = logger }

    /// Adds a departure; beyond the maximum number, one is dropped, and Redis lets its seat expire.
    func add(left place: RemoteMember) {
        guard left.count >= Self.capacity else {
            left.append(place)
            guard left.count == Self.capacity else { return }
            return logger.warning(
                "too many clients left while Redis was unavailable; other servers will not be notified of all of them"
            )
        }
        // A full list still accepts a member that other servers know, instead of one that they do not know.
        guard place.since > 0, let index = left.lastIndex(where: { $0.since == 0 }) else { return }
        left[index] = place
    }

    func add(joined sid: String) { joined.insert(sid) }

    /// Removes the stored join of a socket; false if there is none.
    @discardableResult
    func remove(joined sid: String) -> Bool { joined.remove(sid) != nil }

    /// Removes and returns all departures, which the caller must report.
    func takeLeft() -> [RemoteMember] {
        defer { left = [] }
        return left
    }
}
