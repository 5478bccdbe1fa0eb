internal import HTTPFront
internal import NIOCore

/// The recent calls, used to limit how often people ring.
struct ChatRings: Sendable {
    private struct Pair: Hashable {
        let caller: Int
        let callee: Int
    }

    private struct Ring {
        var room: Int
        var begin: NIODeadline
        var isAnswered = false
        /// The time until which the caller must not ring again, because the callee has ended the call.
        var silentUntil = NIODeadline.distantPast
    }

    /// The minimum time between two calls from a person to the same other person.
    private static let pause = TimeAmount.seconds(3)
    /// The time for which a caller must not ring again after the callee has ended the call.
    private static let silence = TimeAmount.seconds(30)
    /// The time for which a call is stored; longer than a call rings.
    private static let memory = TimeAmount.seconds(60)
    /// The rate limit for a person's calls to all others.
    private static let rate = TokenRate(perSecond: 1.0 / 3, capacity: 20)
    private static let minimumPruned = 1024

    private var rings: [Pair: Ring] = [:]
    private var callers: [Int: (calls: TokenBucket, lastUse: NIODeadline)] = [:]
    private var pruneCount = minimumPruned

    /// The number of stored calls and callers.
    var count: Int { rings.count + callers.count }

    /// Records a call in a room; returns false if the caller rings too often.
    mutating func begin(_ room: Int, from caller: Int, to callee: Int, at time: NIODeadline) -> Bool {
        prune(at: time)
        let pair = Pair(caller: caller, callee: callee)
        let last = rings[pair]
        if let last, last.silentUntil > time || last.begin + Self.pause > time { return false }
        var entry = callers[caller] ?? (TokenBucket(), time)
        let isAllowed = entry.calls.take(of: Self.rate, at: time)
        callers[caller] = (entry.calls, time)
        guard isAllowed else { return false }
        rings[pair] = Ring(room: room, begin: time)
        // Somebody who calls back may be called again.
        rings[Pair(caller: callee, callee: caller)]?.silentUntil = .distantPast
        return true
    }

    /// Records that a person has answered a call in a room.
    mutating func answer(_ room: Int, by person: Int, to peer: Int, at time: NIODeadline) {
        let incoming = Pair(caller: peer, callee: person)
        if knows(room, incoming, at: time) { rings[incoming]?.isAnswered = true }
    }

    /// Records that a person has ended a call in a room; returns false if there is no such call with the other person.
    mutating func end(_ room: Int, by person: Int, with peer: Int, at time: NIODeadline) -> Bool {
        let incoming = Pair(caller: peer, callee: person)
        if knows(room, incoming, at: time) {
            // The caller may immediately retry a call that was answered and has failed.
            guard rings[incoming]?.isAnswered == false else { return true }
            rings[incoming]?.silentUntil = time + Self.silence
            return true
        }
        return knows(room, Pair(caller: person, callee: peer), at: time)
    }

    private func knows(_ room: Int, _ pair: Pair, at time: NIODeadline) -> Bool {
        rings[pair].map { $0.room == room && $0.begin + Self.memory > time } ?? false
    }

    private mutating func prune(at time: NIODeadline) {
        guard count >= pruneCount else { return }
        rings = rings.filter { max($0.value.begin + Self.memory, $0.value.silentUntil) > time }
        callers = callers.filter { $0.value.lastUse + Self.memory > time }
        pruneCount = max(Self.minimumPruned, count * 2)
    }
}
