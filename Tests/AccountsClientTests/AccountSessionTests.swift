import AccountsCore
import Basics
import Testing

@testable import AccountsClient

/// Tokens in memory, whose steps a test can let fail.
private actor MemoryStore: TokenStore {
    private(set) var tokens: AccountTokens?
    private(set) var log: [String] = []
    private var isLocked = false
    private var keepFails = false
    private var loadFails = false
    private var lockFails = false
    private let changes = AsyncStream.makeStream(of: Void.self)

    init(_ tokens: AccountTokens? = nil) { self.tokens = tokens }

    func set(_ tokens: AccountTokens?) { self.tokens = tokens }

    func fail(keep: Bool = false, load: Bool = false, lock: Bool = false) {
        (keepFails, loadFails, lockFails) = (keep, load, lock)
    }

    /// Waits until the stored tokens fulfil a condition; for one reader.
    func wait(until condition: (AccountTokens?) -> Bool) async {
        guard !condition(tokens) else { return }
        for await _ in changes.stream where condition(tokens) { break }
    }

    private static let failure = StoreFailure(reason: .keyringLocked, message: "locked", hint: "unlock it")

    func lock() async throws(StoreFailure) {
        guard !lockFails else { throw Self.failure }
        log.append(isLocked ? "locked twice" : "lock")
        isLocked = true
    }

    func unlock() async {
        log.append("unlock")
        isLocked = false
    }

    func load() async throws(StoreFailure) -> AccountTokens? {
        guard !loadFails else { throw Self.failure }
        return tokens
    }

    func keep(_ tokens: AccountTokens) async throws(StoreFailure) {
        log.append(isLocked ? "keep \(tokens.refresh.value)" : "keep without lock")
        guard !keepFails else { throw Self.failure }
        self.tokens = tokens
    }

    func delete() async throws(StoreFailure) {
        log.append("delete")
        tokens = nil
        changes.continuation.yield()
    }
}

/// A server that knows one access token at a time.
private final class FakeServer: AccountTransport {
    struct State: Equatable {
        var valid = 1
        var refreshes = 0
        var requests = 0
        /// The number of requests that must have arrived before the first one is answered.
        ///
        /// One that arrives after the first refusal would wait for the refresh instead.
        var together = 0
        /// The status of the next refreshes; 200 issues tokens.
        var refreshStatus = 200
        var isDown = false
    }

    private let store = StateStore(State())
    /// Opened when refreshes may be answered.
    private let gate = AsyncStream.makeStream(of: Void.self)
    private let isGated: Bool

    init(isGated: Bool = false) { self.isGated = isGated }

    static func tokens(_ number: Int, user: Int = 7) -> AccountTokens {
        AccountTokens(access: Secret("a\(number)"), refresh: Secret("r\(number)"), user: user)
    }

    var state: State { store.state }

    func set(_ change: (inout State) -> Void) { store.update(change) }

    func wait(until condition: (State) -> Bool) async {
        for await state in store.states where condition(state) { break }
    }

    func open() { gate.continuation.yield() }

    func send(_ request: AccountRequest, token: Secret?) async throws(AccountFailure) -> AccountAnswer {
        guard request.path.hasSuffix("refresh-token/") else {
            store.update { $0.requests += 1 }
            await wait { $0.requests >= $0.together }
            let isValid = token?.value == "a\(state.valid)"
            return AccountAnswer(status: isValid ? 200 : 401, body: Array((token?.value ?? "").utf8))
        }
        store.update { $0.refreshes += 1 }
        if isGated { for await _ in gate.stream { break } }
        guard !Task.isCancelled, !state.isDown else { throw AccountFailure(.unreachable, "down") }
        guard state.refreshStatus == 200 else { return AccountAnswer(status: state.refreshStatus, body: []) }
        store.update { $0.valid += 1 }
        return AccountAnswer(status: 200, body: Array(Self.tokens(state.valid).json.serialized().utf8))
    }
}

@Suite("The session of a user", .timeLimit(.minutes(4)))
struct AccountSessionTests {
    private let request = AccountRequest("GET", "api/v1/users/me/")

    /// Runs a session with the first tokens stored, while `body` runs.
    private func withSession(
        _ server: FakeServer,
        _ store: MemoryStore,
        _ body: @escaping @Sendable (AccountSession) async throws -> Void
    ) async throws {
        let session = AccountSession(server, store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await session.run() }
            group.addTask { try await body(session) }
            // The body ends first.
            try await group.next()
            group.cancelAll()
        }
    }

    private func failure(_ session: AccountSession) async -> AccountFailure.Reason? {
        do throws(AccountFailure) {
            _ = try await session.send(request)
            return nil
        } catch { return error.reason }
    }

    @Test(
        "Twenty requests with an expired token succeed after a single refresh, whose tokens are stored"
    )
    func refreshedOnce() async throws {
        let (server, store) = (FakeServer(isGated: true), MemoryStore(FakeServer.tokens(1)))
        server.set { ($0.valid, $0.together) = (2, 20) }
        try await withSession(server, store) { session in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await session.send(request).status } }
                // The refresh is answered only when all requests were refused.
                await server.wait { $0.requests == 20 }
                server.open()
                for try await status in group { #expect(status == 200) }
            }
            #expect(server.state.refreshes == 1)
            #expect(await store.tokens == FakeServer.tokens(3))
            #expect(await store.log == ["lock", "keep r3", "unlock"])
        }
    }

    @Test("A refused refresh signs the user out, deletes the tokens, and fails all requests")
    func refreshRefused() async throws {
        let (server, store) = (FakeServer(), MemoryStore(FakeServer.tokens(1)))
        server.set { ($0.valid, $0.refreshStatus) = (5, 401) }
        try await withSession(server, store) { session in
            await withTaskGroup(of: AccountFailure.Reason?.self) { group in
                for _ in 0..<5 { group.addTask { await failure(session) } }
                for await reason in group { #expect(reason == .signedOut) }
            }
            for await event in session.events {
                guard case .signedOut(let failure?) = event else { continue }
                #expect(failure.reason == .signedOut)
                break
            }
            #expect(server.state.refreshes == 1)
            #expect(await failure(session) == .signedOut)
            #expect(await session.user == nil)
        }
        #expect(await store.tokens == nil)
    }

    @Test("A request fails while the server is down, and succeeds in the same session once it is back up")
    func serverDown() async throws {
        let (server, store) = (FakeServer(), MemoryStore(FakeServer.tokens(1)))
        server.set { ($0.valid, $0.isDown) = (5, true) }
        try await withSession(server, store) { session in
            #expect(await failure(session) == .unreachable)
            server.set { $0.isDown = false }
            #expect(await failure(session) == nil)
            #expect(await store.tokens == FakeServer.tokens(6))
        }
    }

    @Test("Tokens that another process has stored are used without asking the server")
    func otherProcess() async throws {
        let (server, store) = (FakeServer(), MemoryStore(FakeServer.tokens(1)))
        try await withSession(server, store) { session in
            try await session.load()
            await store.set(FakeServer.tokens(2))
            server.set { $0.valid = 2 }
            #expect(await failure(session) == nil)
            #expect(server.state.refreshes == 0)
        }
    }

    @Test("While the keyring is locked, requests fail without a sign-out, and succeed once it is unlocked")
    func lockedKeyring() async throws {
        let (server, store) = (FakeServer(), MemoryStore(FakeServer.tokens(1)))
        try await withSession(server, store) { session in
            try await session.load()
            await store.fail(load: true)
            server.set { $0.valid = 5 }
            #expect(await failure(session) == .storeUnavailable)
            #expect(await session.user == 7)
            await store.fail()
            #expect(await failure(session) == nil)
        }
        #expect(await store.tokens == FakeServer.tokens(6))
    }

    @Test("Tokens that cannot be stored are used from memory, and the previously stored ones are deleted")
    func unkept() async throws {
        let (server, store) = (FakeServer(), MemoryStore(FakeServer.tokens(1)))
        server.set { $0.valid = 5 }
        try await withSession(server, store) { session in
            try await session.load()
            await store.fail(keep: true)
            #expect(await failure(session) == nil)
            #expect(await store.tokens == nil)
            #expect(await failure(session) == nil)
        }
    }

    @Test(
        "Signing out fails a pending request, and deletes the stored tokens before it returns"
    )
    func signOut() async throws {
        let (server, store) = (FakeServer(isGated: true), MemoryStore(FakeServer.tokens(1)))
        server.set { $0.valid = 5 }
        try await withSession(server, store) { session in
            async let waiting = failure(session)
            await server.wait { $0.refreshes == 1 }
            await session.signOut()
            #expect(await waiting == .signedOut)
        }
        #expect(await store.tokens == nil)
        #expect(await store.log.contains("locked twice") == false)
    }

    @Test("Cancelling the task of one request ends that request and no other")
    func cancellation() async throws {
        let (server, store) = (FakeServer(isGated: true), MemoryStore(FakeServer.tokens(1)))
        server.set { ($0.valid, $0.together) = (5, 2) }
        try await withSession(server, store) { session in
            let cancelled = Task { await failure(session) }
            async let other = failure(session)
            await server.wait { $0.requests == 2 }
            cancelled.cancel()
            #expect(await cancelled.value == .unreachable)
            server.open()
            #expect(await other == nil)
        }
    }

    @Test("Cancelling a request while the tokens are loaded does not cancel the other pending requests")
    func cancelledWhileLoading() async throws {
        let (server, store) = (FakeServer(), MemoryStore(FakeServer.tokens(1)))
        let session = AccountSession(server, store)
        let cancelled = Task { await failure(session) }
        let other = Task { await failure(session) }
        // Both wait, because the session does not run yet.
        cancelled.cancel()
        _ = await cancelled.value
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await session.run() }
            #expect(await other.value == nil)
            group.cancelAll()
        }
    }

    @Test("If the keyring was locked at the start, the next request reads it again")
    func lockedAtStart() async throws {
        let (server, store) = (FakeServer(), MemoryStore(FakeServer.tokens(1)))
        await store.fail(load: true)
        try await withSession(server, store) { session in
            #expect(await failure(session) == .storeUnavailable)
            await store.fail()
            #expect(await failure(session) == nil)
        }
    }

    @Test("After a sign-in while the keyring is locked, requests use the tokens in memory")
    func signInWithoutStore() async throws {
        let (server, store) = (FakeServer(), MemoryStore())
        await store.fail(keep: true, load: true)
        try await withSession(server, store) { session in
            #expect(await failure(session) == .storeUnavailable)
            await session.signIn(FakeServer.tokens(1), asked: .zero)
            #expect(await failure(session) == nil)
        }
    }

    @Test("If the store cannot be locked, the tokens are neither refreshed nor replaced")
    func unlockable() async throws {
        let (server, store) = (FakeServer(), MemoryStore(FakeServer.tokens(1)))
        server.set { $0.valid = 5 }
        try await withSession(server, store) { session in
            try await session.load()
            await store.fail(lock: true)
            #expect(await failure(session) == .storeUnavailable)
            #expect(server.state.refreshes == 0)
        }
        #expect(await store.tokens == FakeServer.tokens(1))
    }

    @Test("Signing out during a refresh takes effect at once, and the refreshed tokens are not stored")
    func signOutDuringRefresh() async throws {
        let (server, store) = (FakeServer(isGated: true), MemoryStore(FakeServer.tokens(1)))
        server.set { $0.valid = 5 }
        try await withSession(server, store) { session in
            async let waiting = failure(session)
            await server.wait { $0.refreshes == 1 }
            await session.signOut()
            #expect(await waiting == .signedOut)
            for await event in session.events where event == .signedOut(nil) { break }
            // The gate was never opened.
            await store.wait { $0 == nil }
        }
    }

    @Test("Requests fail after the session has stopped running")
    func ended() async throws {
        let (server, store) = (FakeServer(), MemoryStore(FakeServer.tokens(1)))
        let session = AccountSession(server, store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await session.run() }
            try await session.load()
            group.cancelAll()
        }
        #expect(await failure(session) == .unreachable)
    }

    @Test("A refresh on demand replaces tokens that are still valid")
    func refreshOnDemand() async throws {
        let (server, store) = (FakeServer(), MemoryStore(FakeServer.tokens(1)))
        try await withSession(server, store) { session in
            #expect(try await session.accessToken() == Secret("a1"))
            try await session.refresh()
            #expect(try await session.accessToken() == Secret("a2"))
            #expect(server.state.refreshes == 1)
        }
    }

    @Test("Signing in replaces the stored tokens, and requests of the previous user fail")
    func otherUser() async throws {
        let (server, store) = (FakeServer(), MemoryStore(FakeServer.tokens(1)))
        try await withSession(server, store) { session in
            try await session.load()
            await session.signIn(FakeServer.tokens(1, user: 8), asked: .zero)
            let reason: AccountFailure.Reason?
            do throws(AccountFailure) {
                _ = try await session.send(request, user: 7)
                reason = nil
            } catch { reason = error.reason }
            #expect(reason == .signedOut)
            #expect(await failure(session) == nil)
        }
        #expect(await store.tokens?.user == 8)
    }

    @Test("look() adopts a sign-in or sign-out by another process, and throws if the keyring is locked")
    func look() async throws {
        let (server, store) = (FakeServer(), MemoryStore())
        try await withSession(server, store) { session in
            try await session.look()
            #expect(await session.user == nil)
            await store.set(FakeServer.tokens(1))
            try await session.look()
            #expect(await session.user == 7)
            await store.fail(load: true)
            await #expect(throws: AccountFailure.self) { try await session.look() }
            #expect(await session.user == 7)
            #expect(await failure(session) == nil)
            await store.fail()
            await store.set(nil)
            try await session.look()
            #expect(await session.user == nil)
            var events: [AccountSession.Event] = []
            for await event in session.events {
                events.append(event)
                if events.count == 2 { break }
            }
            #expect(events == [.signedIn(user: 7), .signedOut(.signedOutElsewhere)])
        }
    }

    @Test("look() during a sign-out does not sign the user in again")
    func lookWhileSigningOut() async throws {
        let (server, store) = (FakeServer(), MemoryStore(FakeServer.tokens(1)))
        try await withSession(server, store) { session in
            try await session.load()
            async let looked: Void = session.look()
            await session.signOut()
            try await looked
            try await session.look()
            #expect(await session.user == nil)
            #expect(await store.tokens == nil)
        }
    }
}
