/// The state machine of a signed-in user's tokens and of the requests that need them.
///
/// If several requests need a new access token, they all wait for a single refresh. The session ends by itself only if
/// the server refuses the refresh token, or an access token that it has just issued. A request belongs to the session
/// in which it began, and is never sent with the token of another session.
package struct TokenMachine: Hashable, Sendable {
    /// The number of a request, chosen by the caller.
    package typealias RequestID = Int
    /// The number of a refresh.
    package typealias RefreshID = Int

    package enum Input: Hashable, Sendable {
        /// A request is about to be sent for the first time.
        ///
        /// It fails if `user` is not signed in; if `user` is nil, any user who is signed in suffices.
        case wanted(RequestID, user: Int?)
        /// The server has answered 401 to a request that was sent with this access token.
        case refused(RequestID, token: Secret)
        /// A request has ended: it was cancelled, or the server answered it with another status than 401.
        case ended(RequestID)
        /// A refresh has ended.
        case refreshed(RefreshID, Outcome)
        /// The effect `store` has been performed; `isKept` is whether the tokens were stored.
        case stored(AccountTokens, isKept: Bool)
        /// The user has signed in with these tokens; `asked` is the time at which they were requested.
        case signedIn(AccountTokens, asked: Duration)
        /// The first read of the store has found these tokens, of an earlier run or of another process; nil if there
        /// are none.
        ///
        /// The input has no effect if the user has already signed in or out.
        case found(AccountTokens?)
        /// A later read of the store has found these tokens; nil if there are none.
        ///
        /// Another process may have signed in since this session ended. The caller reports the result only if no
        /// pending effect would change the store.
        case foundLater(AccountTokens?)
        /// The user has signed out.
        case signOut
    }

    /// An action that the caller performs.
    ///
    /// The effects that access the store are performed one after the other, in the order in which `handle(_:at:)`
    /// returns them, even if the task that has caused them is cancelled. Other effects do not wait for them.
    package enum Effect: Hashable, Sendable {
        /// Sends the request with this access token.
        case send(RequestID, token: Secret)
        /// Ends the request with a failure, whether it is waiting or has been sent.
        case fail(RequestID, AccountFailure)
        /// Refreshes these tokens and reports the outcome by `Input.refreshed`, exactly once.
        ///
        /// The store must be locked against other processes until the effects of that input have been performed. If
        /// `isKept`, which means that these tokens are stored, and the store contains other tokens, those are the
        /// outcome, and the server is not contacted.
        case refresh(RefreshID, AccountTokens, isKept: Bool)
        /// Stores these tokens and reports the result by `Input.stored`; the tokens are not used before.
        ///
        /// If they cannot be stored, the stored tokens of the same user are deleted: the server would consider their
        /// refresh token stolen once the new tokens have been used.
        case store(AccountTokens)
        /// Deletes the stored tokens if they are equal to these, because the server no longer accepts them.
        case delete(AccountTokens)
        /// Deletes any stored tokens, because the user has signed out.
        case deleteAll
        /// Reports that the session has ended without a sign-out in this process.
        case signedOut(AccountFailure)
        /// Reports that another process has signed in this user, while another user or nobody was signed in here.
        case userChanged(Int)
    }

    /// The remaining lifetime below which an access token is refreshed before use, at most half of its lifetime.
    package static let reserve = Duration.seconds(30)
    /// The assumed lifetime of an access token that does not state its lifetime.
    private static let usualLifetime = Duration.seconds(600)
    /// The maximum number of times that the server may refuse one request.
    private static let mostRefusals = 6
    /// The maximum number of refreshes for one request while the age of the tokens is unknown.
    private static let mostRefreshes = 3
    /// The delay before another refresh after a status 429 without `Retry-After`.
    private static let usualPause = Duration.seconds(5)

    private struct Session: Hashable, Sendable {
        var tokens: AccountTokens
        /// The age of the tokens; nil if they were read from the store.
        var age: Age?
        /// Whether the tokens are in the store.
        var isKept = true
        /// Whether the tokens are still being stored, and must therefore not be used yet.
        var isBeingStored = false
        var refresh: Refresh?
        /// The time before which the server accepts no refresh; nil if there is no such limit.
        var pauseEnd: Duration?
    }

    private struct Age: Hashable, Sendable {
        /// The time at which the tokens were requested; the server has issued them later.
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
        /// The number of refreshes that the request has waited for because its token, the newest one, was refused.
        var refreshes = 0
        var refusals = 0
        /// The token that the server has refused most recently for this request.
        var refused: Secret?
        var isWaiting = false
    }

    private var session: Session?
    private var requests: [RequestID: Request] = [:]
    private var lastRefresh: RefreshID = 0
    /// Whether the user has signed in or out, or the store has been read.
    private var hasBegun = false
    /// The tokens of the session from which the user has signed out; they may still be in the store.
    private var abandoned: AccountTokens?

    package init() {}

    package var tokens: AccountTokens? { session?.tokens }
    package var isRefreshing: Bool { session?.refresh != nil }

    /// Handles an input.
    ///
    /// - Parameters:
    ///   - input: The input.
    ///   - now: The time of a monotonic clock that also runs while the computer sleeps.
    /// - Returns: The effects to perform, in this order.
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

    /// Ends the session or only the request, because the server has refused a token that it issued for this request.
    private mutating func end(with id: RequestID, _ session: Session, _ now: Duration) -> [Effect] {
        guard let age = session.age else { return [fail(id, Self.confused)] }
        // If the token has expired in the meantime, an answer arrived too late.
        guard now - age.asked < age.lifetime else { return [fail(id, Self.slow)] }
        return end(AccountFailure(.signedOut, "the server refuses the access token that it has issued"))
    }

    /// Returns whether the current access token can be sent and does not expire soon.
    private func isFresh(_ now: Duration) -> Bool {
        guard let age = session?.age else { return isValid(now) }
        return isValid(now) && now - age.received < age.lifetime - min(Self.reserve, age.lifetime / 2)
    }

    /// Returns whether the current access token can be sent: it is not being replaced and has not expired.
    private func isValid(_ now: Duration) -> Bool {
        guard let session, session.refresh == nil, !session.isBeingStored else { return false }
        return session.age.map { now - $0.received < $0.lifetime } ?? true
    }

    /// Makes a request wait for new tokens, and starts a refresh if none is in progress.
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

    /// Sends a request with the current token although it cannot be refreshed now, unless the token has expired or was
    /// refused.
    private mutating func pass(
        _ id: RequestID,
        _ session: Session,
        until end: Duration,
        _ now: Duration
    ) -> [Effect] {
        guard isValid(now), requests[id]?.refused != session.tokens.access else {
            var failure = AccountFailure(.tooMany, "the server has received too many requests")
            failure.wait = end - now
            return [fail(id, failure)]
        }
        return [.send(id, token: session.tokens.access)]
    }

    private mutating func fail(_ id: RequestID, _ failure: AccountFailure) -> Effect {
        requests[id] = nil
        return .fail(id, failure)
    }

    /// Fails all requests, including those that have been sent.
    private mutating func failAll(_ failure: AccountFailure) -> [Effect] {
        requests.keys.sorted().map { fail($0, failure) }
    }

    /// Marks all waiting requests as no longer waiting, and returns them in the order of their numbers.
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
            // A reason that is specific to the refresh would mislead the senders of the waiting requests.
            let told = failure.isTemporary ? failure : AccountFailure(.serverFailed, failure.message)
            return release().map { fail($0, told) }
        }
    }

    /// Sends the waiting requests with tokens that were found in the store; if these belong to another user, fails all
    /// requests.
    private mutating func use(_ found: AccountTokens) -> [Effect] {
        let isOther = session.map { $0.tokens.user != found.user } ?? false
        session = Session(tokens: found)
        guard !isOther else { return failAll(Self.noSession) + [.userChanged(found.user)] }
        return release().map { .send($0, token: found.access) }
    }

    private mutating func adopt(_ found: AccountTokens?) -> [Effect] {
        // The outcome of a pending refresh or operation on the store takes precedence.
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
        "the server is too slow: each access token expires before it answers"
    )
    private static let confused = AccountFailure(
        .serverFailed,
        "the server refuses every access token that it issues"
    )
}
