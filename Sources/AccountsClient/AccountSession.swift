package import AccountsCore
package import Basics
internal import Synchronization

/// The session of a signed-in user: the driver of `TokenMachine`.
///
/// Requests may be sent from many tasks concurrently. They are answered only while `run()` runs, which reads, refreshes
/// and stores tokens.
package actor AccountSession {
    /// A change of the session for its owner.
    package enum Event: Hashable, Sendable {
        case signedIn(user: Int)
        case refreshed
        /// The session has ended; the failure is nil if the user has signed out in this process.
        case signedOut(AccountFailure?)
        /// Tokens cannot be read, stored or deleted; the failure does not contain them.
        case storeFailed(StoreFailure)
    }

    /// The next action for a request.
    private enum Step {
        case send(Secret)
        case fail
    }

    /// A request that has not ended.
    private struct Pending {
        let steps: AsyncStream<Step>.Continuation
        /// The exchange with the server in progress, if any.
        var exchange: Task<Result<AccountAnswer, AccountFailure>, Never>?
        /// The failure with which the state machine has ended the request, whatever the server answers.
        var failure: AccountFailure?
    }

    /// An operation on the token store.
    private enum StoreStep {
        case load
        /// Reads the store again, because another process may have changed it.
        case look
        case effect(TokenMachine.Effect)

        /// Whether the operation does not change the store.
        var isReading: Bool {
            switch self {
            case .load, .look: true
            case .effect: false
            }
        }
    }

    /// The state of the first read of the store.
    private enum Loading {
        case running, done
        case failed(StoreFailure)
    }

    private let transport: any AccountTransport
    private let store: any TokenStore
    private let now: @Sendable () -> Duration
    private var machine = TokenMachine()
    private var lastRequest: TokenMachine.RequestID = 0
    private var pending: [TokenMachine.RequestID: Pending] = [:]
    /// The pending operations on the store, in the order of the state machine's effects.
    private var storeSteps: [StoreStep] = [.load]
    /// The refresh in progress, if any.
    private var refreshExchange: Task<TokenMachine.Outcome, Never>?
    private var loading = Loading.running
    private var loadWaiters: [AsyncStream<Never>.Continuation] = []
    private var lookWaiters: [AsyncStream<StoreFailure>.Continuation] = []
    private var isEnded = false
    private let work = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let eventStream = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .unbounded)

    /// Creates a session, which reads the stored tokens when `run()` starts.
    package init(
        _ transport: any AccountTransport,
        _ store: any TokenStore,
        now: @escaping @Sendable () -> Duration = AccountSession.steadyTime
    ) {
        (self.transport, self.store, self.now) = (transport, store, now)
    }

    private static let start = ContinuousClock.now

    /// Returns the time of a monotonic clock that also runs while the computer sleeps.
    package static func steadyTime() -> Duration { start.duration(to: .now) }

    /// The changes of the session, for a single consumer; the stream finishes with `run()`.
    package nonisolated var events: AsyncStream<Event> { eventStream.stream }

    /// The ID of the signed-in user; nil if nobody is signed in or the store has not been read yet.
    package var user: Int? { machine.tokens?.user }

    // MARK: Running

    /// Reads the stored tokens, and then refreshes and stores tokens until the task is cancelled.
    ///
    /// Operations on the store that are pending at that time are still performed.
    package func run() async {
        await performStoreSteps()
        for await _ in work.stream { await performStoreSteps() }
        while !storeSteps.isEmpty { await performStoreSteps() }
        isEnded = true
        for id in pending.keys { fail(id, Self.ended) }
        finishLoading(as: .done)
        for waiter in lookWaiters { waiter.finish() }
        lookWaiters = []
        eventStream.continuation.finish()
    }

    private static let ended = AccountFailure(.unreachable, "the program is ending")

    /// Waits until the stored tokens have been read; reads them again if the last read has failed.
    ///
    /// - Throws: `AccountFailure` if they cannot be read.
    package func load() async throws(AccountFailure) {
        if case .failed = loading, !isEnded {
            loading = .running
            enqueue(.load)
        }
        if case .running = loading {
            // A stream of its own, because the cancellation of a reader ends a stream for all its readers.
            let (stream, waiter) = AsyncStream.makeStream(of: Never.self)
            loadWaiters.append(waiter)
            for await _ in stream {}
        }
        if case .failed(let failure) = loading { throw Self.unavailable(failure) }
    }

    private func finishLoading(as state: Loading) {
        loading = state
        for waiter in loadWaiters { waiter.finish() }
        loadWaiters = []
    }

    /// Reads the stored tokens again, in case another process has signed in or out.
    ///
    /// - Throws: `AccountFailure` if they cannot be read; the session is then unchanged.
    package func look() async throws(AccountFailure) {
        try await load()
        guard !isEnded else { return }
        let (stream, waiter) = AsyncStream.makeStream(of: StoreFailure.self)
        lookWaiters.append(waiter)
        enqueue(.look)
        for await failure in stream { throw Self.unavailable(failure) }
    }

    private static func unavailable(_ failure: StoreFailure) -> AccountFailure {
        AccountFailure(.storeUnavailable, "\(failure.message); \(failure.hint)")
    }

    /// Signs a user in; `asked` is the time at which the tokens were requested from the server.
    package func signIn(_ tokens: AccountTokens, asked: Duration) {
        handle(.signedIn(tokens, asked: asked))
        finishLoading(as: .done)
        refreshExchange?.cancel()
        eventStream.continuation.yield(.signedIn(user: tokens.user))
    }

    /// Signs out on this computer: deletes the stored tokens and fails all requests.
    package func signOut() {
        let wasSignedIn = machine.tokens != nil
        handle(.signOut)
        finishLoading(as: .done)
        refreshExchange?.cancel()
        if wasSignedIn { eventStream.continuation.yield(.signedOut(nil)) }
    }

    // MARK: Requests

    /// Sends a request for `user`, or for any signed-in user if it is nil.
    ///
    /// - Returns: The answer, whose status is not 401.
    /// - Throws: `AccountFailure`.
    package func send(
        _ request: AccountRequest,
        user: Int? = nil
    ) async throws(AccountFailure) -> AccountAnswer {
        try await perform(user) { [transport] token throws(AccountFailure) in
            try await transport.send(request, token: token)
        }
    }

    /// Returns an access token that the server has just accepted; it is refreshed if necessary.
    ///
    /// - Throws: `AccountFailure`.
    package func accessToken() async throws(AccountFailure) -> Secret {
        let accepted = Mutex(Secret(""))
        let check = AccountRequest("GET", "api/v1/users/check-jwt/")
        let answer = try await perform(nil) { [transport] token throws(AccountFailure) in
            accepted.withLock { $0 = token }
            return try await transport.send(check, token: token)
        }
        guard answer.isSuccess else { throw answer.failure }
        return accepted.withLock(\.self)
    }

    /// Refreshes the tokens, even if they have not expired.
    ///
    /// - Throws: `AccountFailure`.
    package func refresh() async throws(AccountFailure) {
        let isFirst = Mutex(true)
        _ = try await perform(nil) { token in
            // The first token counts as refused, so that the machine asks for another one.
            let wasFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return AccountAnswer(status: wasFirst ? 401 : 200, body: [])
        }
    }

    private func perform(
        _ user: Int?,
        _ exchange: @escaping @Sendable (Secret) async throws(AccountFailure) -> AccountAnswer
    ) async throws(AccountFailure) -> AccountAnswer {
        try await load()
        guard !isEnded else { throw Self.ended }
        lastRequest += 1
        let id = lastRequest
        let (steps, step) = AsyncStream.makeStream(of: Step.self)
        pending[id] = Pending(steps: step)
        defer {
            pending[id] = nil
            handle(.ended(id))
        }
        handle(.wanted(id, user: user))
        for await step in steps {
            if let failure = pending[id]?.failure { throw failure }
            if case .send(let token) = step, let answer = try await send(id, token, exchange) {
                return answer
            }
        }
        throw AccountFailure(.unreachable, "the request was cancelled")
    }

    /// Performs one exchange with the server; returns nil if the server has refused the token.
    private func send(
        _ id: TokenMachine.RequestID,
        _ token: Secret,
        _ exchange: @escaping @Sendable (Secret) async throws(AccountFailure) -> AccountAnswer
    ) async throws(AccountFailure) -> AccountAnswer? {
        let task = Task { () -> Result<AccountAnswer, AccountFailure> in
            do throws(AccountFailure) { return .success(try await exchange(token)) } catch {
                return .failure(error)
            }
        }
        pending[id]?.exchange = task
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        pending[id]?.exchange = nil
        if let failure = pending[id]?.failure { throw failure }
        let answer = try result.get()
        guard answer.status == 401 else { return answer }
        handle(.refused(id, token: token))
        return nil
    }

    private func fail(_ id: TokenMachine.RequestID, _ failure: AccountFailure) {
        pending[id]?.failure = failure
        pending[id]?.steps.yield(.fail)
        pending[id]?.exchange?.cancel()
    }

    // MARK: Effects

    private func handle(_ input: TokenMachine.Input) {
        for effect in machine.handle(input, at: now()) {
            switch effect {
            case .send(let id, let token): pending[id]?.steps.yield(.send(token))
            case .fail(let id, let failure): fail(id, failure)
            case .refresh, .store, .delete, .deleteAll: enqueue(.effect(effect))
            case .signedOut(let failure): eventStream.continuation.yield(.signedOut(failure))
            case .userChanged(let user): eventStream.continuation.yield(.signedIn(user: user))
            }
        }
    }

    private func enqueue(_ step: StoreStep) {
        storeSteps.append(step)
        work.continuation.yield()
    }

    /// Performs the pending operations on the store in order, and locks the store for changes.
    ///
    /// All except refreshes are completed even if the task is cancelled.
    private func performStoreSteps() async {
        // Reading needs no lock, because files and secrets are replaced as a whole.
        reading: while let step = storeSteps.first {
            switch step {
            case .load, .look:
                storeSteps.removeFirst()
                await Task { await read(step) }.value
            case .effect: break reading
            }
        }
        guard !storeSteps.isEmpty else { return }
        let problem = await Task { await lock() }.value
        while !storeSteps.isEmpty {
            switch storeSteps.removeFirst() {
            case .load: await Task { await read(.load) }.value
            case .look: await Task { await read(.look) }.value
            case .effect(.refresh(let id, let tokens, let isKept)):
                let outcome =
                    if let problem { TokenMachine.Outcome.failed(Self.unavailable(problem)) } else {
                        await refresh(tokens, isKept: isKept)
                    }
                handle(.refreshed(id, outcome))
                if case .issued(let new) = outcome, machine.tokens == new {
                    eventStream.continuation.yield(.refreshed)
                }
            case .effect(let effect): await Task { await change(effect, problem) }.value
            }
        }
        await store.unlock()
    }

    private func lock() async -> StoreFailure? {
        do throws(StoreFailure) {
            try await store.lock()
            return nil
        } catch {
            eventStream.continuation.yield(.storeFailed(error))
            return error
        }
    }

    private func read(_ step: StoreStep) async {
        if case .look = step { await readAgain() } else { await read() }
    }

    private func readAgain() async {
        // Callers that start to wait during this read have queued a read of their own.
        let waiters = lookWaiters
        lookWaiters = []
        defer { for waiter in waiters { waiter.finish() } }
        do throws(StoreFailure) {
            let found = try await store.load()
            // The tokens that were found are outdated if an operation that changes the store is pending.
            if storeSteps.allSatisfy(\.isReading) { handle(.foundLater(found)) }
        } catch {
            for waiter in waiters { waiter.yield(error) }
        }
    }

    private func read() async {
        do throws(StoreFailure) {
            handle(.found(try await store.load()))
            finishLoading(as: .done)
        } catch {
            // A locked keyring does not sign the user out. If the user has signed in or out in the meantime, loading is
            // already done.
            if case .running = loading { finishLoading(as: .failed(error)) }
        }
    }

    /// Performs an effect that changes the store; if the store could not be locked (`problem`), tokens are not stored,
    /// only deleted.
    private func change(_ effect: TokenMachine.Effect, _ problem: StoreFailure?) async {
        do throws(StoreFailure) {
            switch effect {
            case .store(let tokens):
                let isKept = if problem == nil { await keep(tokens) } else { false }
                handle(.stored(tokens, isKept: isKept))
            case .delete(let tokens):
                if try await store.load() == tokens { try await store.delete() }
            case .deleteAll: try await store.delete()
            case .send, .fail, .refresh, .signedOut, .userChanged: break
            }
        } catch {
            eventStream.continuation.yield(.storeFailed(error))
        }
    }

    /// Stores tokens, and returns whether they are stored.
    ///
    /// If that fails, the former tokens of the same user are deleted, because their refresh token must no longer be
    /// used.
    private func keep(_ tokens: AccountTokens) async -> Bool {
        do throws(StoreFailure) {
            try await store.keep(tokens)
            return true
        } catch {
            eventStream.continuation.yield(.storeFailed(error))
        }
        do throws(StoreFailure) {
            let found = try await store.load()
            // The keyring may have stored the tokens before a later step failed.
            if found == tokens { return true }
            if found?.user == tokens.user { try await store.delete() }
        } catch {
            eventStream.continuation.yield(.storeFailed(error))
        }
        return false
    }

    private func refresh(_ tokens: AccountTokens, isKept: Bool) async -> TokenMachine.Outcome {
        if isKept {
            do throws(StoreFailure) {
                guard let found = try await store.load() else {
                    return .refused(AccountFailure.signedOutElsewhere)
                }
                if found != tokens { return .stored(found) }
            } catch {
                // The server must not receive a refresh token that another process may have used already.
                return .failed(Self.unavailable(error))
            }
        }
        let exchange = Task { [transport] in await Self.exchange(tokens, transport) }
        refreshExchange = exchange
        defer { refreshExchange = nil }
        // The session may have been replaced while the store was read.
        if machine.tokens != tokens { exchange.cancel() }
        return await withTaskCancellationHandler {
            await exchange.value
        } onCancel: {
            exchange.cancel()
        }
    }

    private static func exchange(
        _ tokens: AccountTokens,
        _ transport: any AccountTransport
    ) async -> TokenMachine.Outcome {
        let request = AccountRequest(
            "POST",
            "api/v1/users/refresh-token/",
            ["refresh_token": .string(tokens.refresh.value)]
        )
        do throws(AccountFailure) {
            let answer = try await transport.send(request, token: tokens.access)
            return TokenMachine.Outcome(
                status: answer.status,
                body: answer.body,
                retryAfter: answer.retryAfter,
                of: tokens
            )
        } catch {
            return .failed(error)
        }
    }
}
