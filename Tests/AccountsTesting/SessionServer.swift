/// The server's side of one session, as docs/architecture/accounts.md describes it.
package struct SessionServer {
    package enum Answer: Hashable {
        case issued(Int)
        case refused
    }

    package let lifetime: Duration
    /// The time after its last use in which a refresh token whose successor was used is refused without further
    /// consequences, because its request may have been on its way for long.
    package static let tolerance = Duration.seconds(120)

    private var issued: [Int: Duration] = [:]
    /// When refresh tokens were used last.
    private var used: [Int: Duration] = [:]
    /// The newest pairs: one, or several after replies that may be lost; the first of them that is used voids the others.
    private var newest: Set<Int> = []
    /// The pair before the newest ones, whose refresh token is valid until one of these is used.
    private var before: Int?
    /// Whether the user has ended the session elsewhere.
    package private(set) var isRevoked = false
    /// Whether a refresh token was used so late that it counts as stolen.
    package private(set) var sawTheft = false

    package init(lifetime: Duration) { self.lifetime = lifetime }

    /// Issues the first pair.
    package mutating func begin(at now: Duration) -> Int {
        let first = next(at: now)
        newest = [first]
        return first
    }

    private mutating func next(at now: Duration) -> Int {
        issued[issued.count + 1] = now
        return issued.count
    }

    package mutating func revoke() { isRevoked = true }

    /// Whether the server answers a request with this access token, which is a signed text: a newer one does not void it.
    package mutating func accepts(_ number: Int, at now: Duration) -> Bool {
        guard !isRevoked, let time = issued[number], now - time < lifetime else { return false }
        if newest.contains(number) { (newest, before) = ([number], nil) }
        return true
    }

    package mutating func refresh(_ number: Int, at now: Duration) -> Answer {
        guard !isRevoked else { return .refused }
        if newest.contains(number) {
            (newest, before) = ([], number)
        } else if number != before {
            // A successor that nobody has received was never used.
            if let time = used[number], now - time > Self.tolerance { (isRevoked, sawTheft) = (true, true) }
            return .refused
        }
        used[number] = now
        let new = next(at: now)
        newest.insert(new)
        return .issued(new)
    }
}
