/// The tokens of a signed-in user and the requests that need them, as a state machine.
///
/// However many requests need another access token, only one refresh runs, and all of them wait for it. The session
/// ends only if the server refuses its refresh token, or an access token that it has just issued. A request belongs to
/// the session in which it began, and is never sent with the token of another one.
package struct TokenMachine: Hashable, Sendable {
    /// A request, by a number of the caller.
    package typealias RequestID = Int
    /// A refresh, by its number.
    package typealias RefreshID = Int

    package enum Input: Hashable, Sendable {
        /// A request of this user is about to be sent, for the first time; nil for whoever is signed in.
        case wanted(RequestID, user: Int?)
        /// The server has answered a request that was sent with this access token with 401.
        case refused(RequestID, token: Secret)
        /// A request has ended: it was answered otherwise, or was cancelled.
        case ended(RequestID)
        /// A refresh has ended.
        case refreshed(RefreshID, Outcome)
        /// The step that stores tokens has ended, with or without success.
        case stored(AccountTokens, isKept: Bool)
        /// The user has signed in with an answer that was asked for at this time.
        case signedIn(AccountTokens, asked: Duration)
        /// These tokens are stored now, by an earlier run of this process or by another one; nil if there are none.
        ///
        /// The first finding has no effect if the user has signed in or out before.
        case found(AccountTokens?)
        /// These tokens are stored now, long after the first finding; nil if there are none.
        ///
        /// Another process may have signed in since this session ended. The caller tells it only if no step of the store is
        /// still to be done, after which the store holds something else.
        case foundLater(AccountTokens?)
        /// The user signs out.
        case signOut
    }

    /// A step that the caller performs.
    ///
    /// The steps of the store are done one after the other, in the order in which `handle(_:at:)` returns them, also if
    /// the task that has caused them is cancelled. The others do not wait for them.
    package enum Effect: Hashable, Sendable {
        /// Send the request with this access token.
        case send(RequestID, token: Secret)
        /// End the request with a failure, whether it waits or was sent.
        case fail(RequestID, AccountFailure)
        /// Refresh these tokens, and tell the end with `Input.refreshed`, exactly once.
        ///
        /// A lock keeps other processes away from the stored tokens until the effects of that input are done. If these
        /// tokens are stored (`isKept`), and other ones are found in the store, they are the outcome, and the server is
        /// not asked.
        case refresh(RefreshID, AccountTokens, isKept: Bool)
        /// Store these tokens, and tell the end with `Input.stored`; they are used only then. If that is not possible,
        /// delete the tokens of the same user that are stored: nobody must use their refresh token, which the server takes
        /// for stolen once these tokens have been used.
        case store(AccountTokens)
        /// Delete the stored tokens if they are these, because the server does not know them any more.
        case delete(AccountTokens)
        /// Delete whatever is stored, because the user has signed out.
        case deleteAll
        /// The session has ended, without the user having signed out here.
        case signedOut(AccountFailure)
        /// Another process has signed in, as another user or while nobody was signed in here; the user's ID.
        case userChanged(Int)
    }

    /// The remaining lifetime of an access token below which it is refreshed before it is used; at most half of the
    /// lifetime.
    package static let reserve = Duration.seconds(30)
    /// The lifetime of an access token that does not tell its own.
    private static let usualLifetime = Duration.seconds(600)
    /// How often the server may refuse one request.
    private static let mostRefusals = 6
    /// How many refreshes a request may need while the age of the tokens is not known.
    private static let mostRefreshes = 3
    /// The time after which a refresh is tried again if the server has had too many requests and tells no time.
    private static let usualPause = Duration.seconds(5)

    private struct Session: Hashable, Sendable {
        var tokens: AccountTokens
        /// The age of tokens that were received here; nil for stored ones.
        var age: Age?
        /// Whether the store has these tokens.
        var isKept = true
        /// Whether the step that stores them has not ended yet, so that they are not used.
        var isBeingStored = false
        var refresh: Refresh?
        /// The time before which the server takes no refresh.
        var pauseEnd: Duration?
    }

    private struct Age: Hashable, Sendable {
        /// When the server was asked for the tokens, which it has issued later.
        let asked: Duration
        let received: Duration
        let lifetime: Duration

        init(_ tokens: AccountTokens, asked: Duration, received: Duration) {
            (self.asked, self.received) = (asked, received)
            lifetime = tokens.lifetime ?? usualLifetime
        }
    }

    private struct Refresh: Hashable, Sendable {
        let id: RefreshID
        let began: Duration
    }

    private struct Request: Hashable, Sendable {
        /// The number of refreshes for which it has waited because its token, the newest one, was refused.
        var refreshes = 0
        var refusals = 0
        /// The last token that the server has refused.
        var refused: Secret?
        var isWaiting = false
    }

    private var session: Session?
    private var requests: [RequestID: Request] = [:]
    private var lastRefresh: RefreshID = 0
    /// Whether the user has signed in or out, or the store was read.
    private var hasBegun = false
    /// The tokens with which the user has signed out, which may still be stored.
    private var abandoned: AccountTokens?

    package init() {}

    package var tokens: AccountTokens? { session?.tokens }
    package var isRefreshing: Bool { session?.refresh != nil }

    /// Handles an input.
    ///
    /// - Parameters:
    ///   - input: The input.
    ///   - now: The time of a clock that also runs while the computer sleeps, and is never set.
    /// - Returns: The steps to perform, in this order.
    package mutating func handle(_ input: Input, at now: Duration) -> [Effect] {
        switch input {
        case .wanted(let id, let user): return want(id, for: user, now)
        case .refused(let id, let token): return refuse(id, token, now)
        case .ended(let id):
            requests[id] = nil
            return []
        case .refreshed(let id, let outcome): return finish(id, outcome, now)
        case .stored(let tokens, let isKept):
            guard session?.tokens == tokens, session?.isBeingStored == true else { return [] }
            session?.isBeingStored = false
            session?.isKept = isKept
            return release().map { .send($0, token: tokens.access) }
        case .signedIn(let tokens, let asked):
            hasBegun = true
            let failures = failAll(Self.noSession)
            session = Session(
                tokens: tokens,
                age: Age(tokens, asked: asked, received: now),
                isBeingStored: true
            )
            return failures + [.store(tokens)]
        case .found(let tokens):
            let isFirst = !hasBegun
            hasBegun = true
            return isFirst || session?.isKept == true ? adopt(tokens) : []
        case .foundLater(let tokens):
            hasBegun = true
            guard session == nil, let tokens else { return session?.isKept == true ? adopt(tokens) : [] }
            guard tokens != abandoned else { return [] }
            session = Session(tokens: tokens)
            return [.userChanged(tokens.user)]
        case .signOut:
            hasBegun = true
            if let session { abandoned = session.tokens }
            session = nil
            return failAll(Self.noSession) + [.deleteAll]
        }
    }

    // MARK: Requests

    private mutating func want(_ id: RequestID, for user: Int?, _ now: Duration) -> [Effect] {
        requests[id] = Request()
        guard let session, session.tokens.user == user ?? session.tokens.user else {
            return [fail(id, Self.noSession)]
        }
        return isFresh(now) ? [.send(id, token: session.tokens.access)] : hold(id, now)
    }

    private mutating func refuse(_ id: RequestID, _ token: Secret, _ now: Duration) -> [Effect] {
        // A request that has ended needs nothing more.
        guard let session, var request = requests[id] else { return [] }
        request.refusals += 1
        request.refused = token
        requests[id] = request
        guard request.refusals <= Self.mostRefusals else { return [fail(id, Self.confused)] }
        guard token == session.tokens.access else {
            return isValid(now) ? [.send(id, token: session.tokens.access)] : hold(id, now)
        }
        let limit = session.age == nil ? Self.mostRefreshes : 1
        guard isRefreshing || request.refreshes < limit else { return end(with: id, session, now) }
        requests[id]?.refreshes += 1
        return hold(id, now)
    }

    /// Ends the session, or only a request, because the server has refused a token that was issued for this request.
    private mutating func end(with id: RequestID, _ session: Session, _ now: Duration) -> [Effect] {
        guard let age = session.age else { return [fail(id, Self.confused)] }
        // If the time of the token has passed meanwhile, an answer was too slow.
        guard now - age.asked < age.lifetime else { return [fail(id, Self.slow)] }
        return end(AccountFailure(.signedOut, "the server refuses the access token that it has issued"))
    }

    /// Whether the present access token can be sent, and its time is not nearly over.
    private func isFresh(_ now: Duration) -> Bool {
        guard let age = session?.age else { return isValid(now) }
        return isValid(now) && now - age.received < age.lifetime - min(Self.reserve, age.lifetime / 2)
    }

    /// Whether the present access token can be sent: it will not be replaced soon, and its time is not over.
    private func isValid(_ now: Duration) -> Bool {
        guard let session, session.refresh == nil, !session.isBeingStored else { return false }
        return session.age.map { now - $0.received < $0.lifetime } ?? true
    }

    /// Lets a request wait for new tokens, which are on their way or asked for now.
    private mutating func hold(_ id: RequestID, _ now: Duration) -> [Effect] {
        guard var session else { return [fail(id, Self.noSession)] }
        guard session.refresh == nil, !session.isBeingStored else {
            requests[id]?.isWaiting = true
            return []
        }
        if let end = session.pauseEnd, now < end { return pass(id, session, until: end, now) }
        lastRefresh += 1
        session.refresh = Refresh(id: lastRefresh, began: now)
        self.session = session
        requests[id]?.isWaiting = true
        return [.refresh(lastRefresh, session.tokens, isKept: session.isKept)]
    }

    /// Sends a request with a token that could not be refreshed, unless that token is too old.
    private mutating func pass(
        _ id: RequestID,
        _ session: Session,
        until end: Duration,
        _ now: Duration
    ) -> [Effect] {
        guard isValid(now), requests[id]?.refused != session.tokens.access else {
            var failure = AccountFailure(.tooMany, "the server has too many requests")
            failure.wait = end - now
            return [fail(id, failure)]
        }
        return [.send(id, token: session.tokens.access)]
    }

    private mutating func fail(_ id: RequestID, _ failure: AccountFailure) -> Effect {
        requests[id] = nil
        return .fail(id, failure)
    }

    /// Ends all requests, those that were sent as well.
    private mutating func failAll(_ failure: AccountFailure) -> [Effect] {
        requests.keys.sorted().map { fail($0, failure) }
    }

    /// Returns the requests that wait, in the order of their numbers, and lets them wait no longer.
    private mutating func release() -> [RequestID] {
        let waiting = requests.filter(\.value.isWaiting).keys.sorted()
        for id in waiting { requests[id]?.isWaiting = false }
        return waiting
    }

    // MARK: Tokens

    private mutating func finish(_ id: RefreshID, _ outcome: Outcome, _ now: Duration) -> [Effect] {
        // The user may have signed out meanwhile.
        guard let session, let refresh = session.refresh, refresh.id == id else { return [] }
        self.session?.refresh = nil
        switch outcome {
        case .issued(let new) where new.user == session.tokens.user:
            let age = Age(new, asked: refresh.began, received: now)
            self.session = Session(tokens: new, age: age, isBeingStored: true)
            return [.store(new)]
        case .issued:
            return release().map { fail($0, Self.confused) }
        case .stored(let new): return use(new)
        case .refused(let failure): return end(AccountFailure(.signedOut, failure.message))
        case .failed(let failure):
            if failure.reason == .tooMany { self.session?.pauseEnd = now + (failure.wait ?? Self.usualPause) }
            // The reason of another request would mislead whoever waits.
            let told = failure.isTemporary ? failure : AccountFailure(.serverFailed, failure.message)
            return release().map { fail($0, told) }
        }
    }

    /// Sends the waiting requests with tokens that were found in the store; those of another user end.
    private mutating func use(_ found: AccountTokens) -> [Effect] {
        let isOther = session.map { $0.tokens.user != found.user } ?? false
        session = Session(tokens: found)
        guard !isOther else { return failAll(Self.noSession) + [.userChanged(found.user)] }
        return release().map { .send($0, token: found.access) }
    }

    private mutating func adopt(_ found: AccountTokens?) -> [Effect] {
        // The end of a refresh, or of a step of the store, tells more.
        guard found != tokens, !isRefreshing, session?.isBeingStored != true else { return [] }
        guard let found else {
            session = nil
            return [.signedOut(.signedOutElsewhere)] + failAll(.signedOutElsewhere)
        }
        return use(found)
    }

    private mutating func end(_ failure: AccountFailure) -> [Effect] {
        guard let tokens else { return [] }
        session = nil
        return [.signedOut(failure)] + failAll(failure) + [.delete(tokens)]
    }

    // MARK: Failures

    private static let noSession = AccountFailure(.signedOut, "you are not signed in")
    private static let slow = AccountFailure(
        .timedOut,
        "the server answers so slowly that each access token expires meanwhile"
    )
    private static let confused = AccountFailure(
        .serverFailed,
        "the server refuses one access token after the other"
    )
}
