internal import ChatCore
internal import FrontParsers
internal import GRDB
internal import HTTPFront
internal import Logging
internal import NIOCore
internal import ServerStore
internal import Synchronization

/// The driver of a `ChatHub`: its sockets, its storage and its timers.
///
/// The hub changes only on the event loop of the sockets, once the first socket is open; other tasks may read it.
final class ChatDesk: Sendable {
    private typealias Request = (operation: ChatOperation, ticket: ChatTicket)

    private struct State {
        var hub: ChatHub
        var sockets: [ChatHub.SocketID: NIOLoopBound<ServiceSocket>] = [:]
        /// The event loop of all sockets; nil until the first one is open.
        var eventLoop: (any EventLoop)?
        var lastSocket = 0
        /// The operations that have not been started, in order.
        var requests: [Request] = []
        /// The searches that have not been started; they are separate because they change nothing and are slow.
        var searches: [Request] = []
        var isPerforming = false
        /// The streams that finish when no operation is pending.
        var drains: [AsyncStream<Void>.Continuation] = []
        var times: MessageTimes

        var isIdle: Bool { requests.isEmpty && !isPerforming }
    }

    /// The interval of the checks whether the user of a socket is still signed in.
    private static let checkInterval = TimeAmount.seconds(30)
    /// The maximum weight of the operations in one transaction.
    private static let heaviestBatch = 512
    /// The maximum weight of the operations whose outcomes are handled in one task of the event loop.
    private static let heaviestJob = 64
    /// The minimum time between the starts of two transactions, during which messages are batched.
    ///
    /// A transaction costs more than the messages in it, so batching saves most of the work of a busy server.
    private static let batchInterval: Duration = .milliseconds(20)

    let database: ServerDatabase
    private let state: Mutex<State>
    private let logger: Logger
    private let clock: @Sendable () -> Int64
    /// Removes files that no message uses any more.
    private let removeFiles: @Sendable ([String]) async -> Void
    private let directory: any ChatDirectory
    private let checks = AsyncStream.makeStream(
        of: (ChatHub.SocketID, String).self,
        bufferingPolicy: .bufferingNewest(10_000)
    )
    private let requestWakes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let searchWakes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(
        _ hub: ChatHub,
        _ database: ServerDatabase,
        _ directory: any ChatDirectory,
        lastTime: Int64,
        logger: Logger,
        clock: @escaping @Sendable () -> Int64,
        removeFiles: @escaping @Sendable ([String]) async -> Void
    ) {
        state = Mutex(State(hub: hub, times: MessageTimes(last: lastTime)))
        (self.database, self.directory, self.logger, self.clock) = (database, directory, logger, clock)
        self.removeFiles = removeFiles
    }

    /// Reads from the hub.
    func read<Value: Sendable>(_ body: (borrowing ChatHub) -> Value) -> Value {
        state.withLock { body($0.hub) }
    }

    /// Randomly selects again which simulated people are online.
    func drawSimulated() async { await change { $0.hub.drawSimulated(at: .now()) } }

    // MARK: Sockets

    /// Returns a new socket ID.
    func newID() -> ChatHub.SocketID {
        state.withLock { state in
            state.lastSocket += 1
            return state.lastSocket
        }
    }

    /// Adds a socket with a new ID; must be called on the socket's event loop.
    func open(_ id: ChatHub.SocketID, _ socket: ServiceSocket, _ seat: ChatSeat) {
        let bound = NIOLoopBound(socket, eventLoop: socket.eventLoop)
        let effects = state.withLock { state in
            state.sockets[id] = bound
            state.eventLoop = bound.eventLoop
            return state.hub.open(id, seat, at: bound.eventLoop.now)
        }
        perform(effects, on: socket.eventLoop)
        guard let token = seat.token else { return }
        // The session may have ended since the request was authorized.
        checks.continuation.yield((id, token))
        checkLater(id, token, on: socket.eventLoop)
    }

    /// Schedules regular checks whether the user of a socket is still signed in, in case the end of the session is not
    /// reported.
    private func checkLater(_ id: ChatHub.SocketID, _ token: String, on eventLoop: any EventLoop) {
        eventLoop.assumeIsolated().scheduleTask(in: Self.checkInterval) {
            guard !self.sockets([id]).isEmpty else { return }
            self.checks.continuation.yield((id, token))
            self.checkLater(id, token, on: eventLoop)
        }
    }

    private func check(_ id: ChatHub.SocketID, _ token: String) async {
        guard await !directory.isSignedIn(byAccessToken: token),
            let eventLoop = state.withLock({ $0.eventLoop })
        else { return }
        try? await eventLoop.submit { for socket in self.sockets([id]) { socket.close(1008) } }.get()
    }

    func receive(_ text: String, from id: ChatHub.SocketID, _ socket: ServiceSocket) {
        let effects = state.withLock { $0.hub.receive(text, from: id, at: socket.eventLoop.now) }
        perform(effects, on: socket.eventLoop)
    }

    func close(_ id: ChatHub.SocketID, _ socket: ServiceSocket) {
        let effects = state.withLock { state in
            state.sockets[id] = nil
            return state.hub.close(id)
        }
        perform(effects, on: socket.eventLoop)
    }

    private func perform(_ effects: [ChatHub.Effect], on eventLoop: any EventLoop) {
        for effect in effects {
            switch effect {
            case .send(let text, let ids):
                let message = FramedMessage(text: text)
                for socket in sockets(ids) { socket.send(message) }
            case .close(let id, let code): for socket in sockets([id]) { socket.close(code) }
            case .perform(let operation, let ticket): enqueue((operation, ticket))
            case .reply(let person, let peer, let delay):
                eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) {
                    let effects = self.state.withLock { $0.hub.reply(from: person, to: peer) }
                    self.perform(effects, on: eventLoop)
                }
            }
        }
    }

    private func sockets(_ ids: [ChatHub.SocketID]) -> [ServiceSocket] {
        state.withLock { state in ids.compactMap { state.sockets[$0] } }.map(\.value)
    }

    private func enqueue(_ request: Request) {
        if case .search = request.operation {
            state.withLock { $0.searches.append(request) }
            searchWakes.continuation.yield()
        } else {
            state.withLock { $0.requests.append(request) }
            requestWakes.continuation.yield()
        }
    }

    /// Changes the state and performs the effects, on the event loop of the sockets if there is one.
    private func change(_ body: @escaping @Sendable (inout State) -> [ChatHub.Effect]) async {
        guard let eventLoop = state.withLock({ $0.eventLoop }) else {
            // Without sockets, the effects have no recipients.
            _ = state.withLock { body(&$0) }
            return
        }
        try? await eventLoop.submit { self.perform(self.state.withLock { body(&$0) }, on: eventLoop) }.get()
    }

    // MARK: People

    /// Returns the people with whom a person has a conversation, with their stored names.
    func partners(of person: Int) async throws -> [ChatPerson] {
        try await database.read { try ChatTables($0, now: 0).partners(of: person) }
    }

    /// Determines whether a person has a conversation with another one whose account was deleted.
    func hasOldConversation(_ person: Int, with peer: Int) async throws -> Bool {
        try await database.read { database in
            let tables = ChatTables(database, now: 0)
            return try tables.isDeleted(peer) && tables.member(person, peer) != nil
        }
    }

    /// Forgets the people whose accounts were deleted just before the server was stopped.
    private func forgetDeleted() async {
        guard directory.hasAccounts else { return }
        do {
            let stored = try await database.read { try ChatTables($0, now: 0).namedAccounts() }
            let known = try await Set(directory.accounts(stored).map(\.id))
            await forget(stored.filter { !known.contains($0) })
        } catch { log(error) }
    }

    /// Replaces the names of people whose accounts were deleted, and removes their blocks and reports.
    private func forget(_ people: [Int]) async {
        guard !people.isEmpty else { return }
        do {
            try await database.write { database in
                for person in people { try ChatTables(database, now: 0).forget(person) }
            }
            await database.forgetDeleted()
        } catch { log(error) }
    }

    // MARK: Storage

    /// Performs the operations, in batches, until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await _ in self.requestWakes.stream {
                    while !Task.isCancelled, let batch = self.nextBatch() {
                        let next = ContinuousClock.now + Self.batchInterval
                        await self.perform(batch.requests)
                        // A full batch gains nothing from more messages.
                        if !batch.isFull { try? await Task.sleep(until: next) }
                    }
                }
            }
            group.addTask { for await (id, token) in self.checks.stream { await self.check(id, token) } }
            group.addTask {
                for await person in self.directory.endedSessions {
                    for (id, token) in self.read({ $0.tokens(of: person) }) { await self.check(id, token) }
                }
            }
            group.addTask {
                await self.forgetDeleted()
                for await person in self.directory.deletedAccounts { await self.forget([person]) }
            }
            group.addTask {
                for await _ in self.searchWakes.stream {
                    while !Task.isCancelled, let search = self.nextSearch() { await self.perform(search) }
                }
            }
        }
    }

    /// Waits until all requested operations have been performed and their outcomes have been handled.
    func drain() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        state.withLock { state in
            if state.isIdle { continuation.finish() } else { state.drains.append(continuation) }
        }
        for await _ in stream {}
    }

    /// Removes and returns the operations of the next transaction; nil if there are none.
    private func nextBatch() -> (requests: [Request], isFull: Bool)? {
        typealias Drains = [AsyncStream<Void>.Continuation]
        let (batch, isFull, drains) = state.withLock { state -> ([Request], Bool, Drains) in
            var (count, weight) = (0, 0)
            for request in state.requests {
                weight += request.operation.weight
                guard weight <= Self.heaviestBatch else { break }
                count += 1
            }
            let batch = Array(state.requests.prefix(count))
            state.requests.removeFirst(count)
            state.isPerforming = !batch.isEmpty
            guard batch.isEmpty else { return (batch, weight > Self.heaviestBatch, []) }
            defer { state.drains = [] }
            return (batch, false, state.drains)
        }
        for drain in drains { drain.finish() }
        return batch.isEmpty ? nil : (batch, isFull)
    }

    private func nextSearch() -> Request? {
        state.withLock { state in state.searches.isEmpty ? nil : state.searches.removeFirst() }
    }

    private func perform(_ batch: [Request]) async {
        let now = clock()
        let start = state.withLock { $0.times.take(batch.count, at: now) }
        do {
            let folder = database.folder
            let outcomes = try await database.write { database in
                let hasRoom = folder.hasRoom
                return try batch.enumerated().map { index, request in
                    let time = start + Int64(index)
                    return try ChatTables(database, now: time, hasRoom: hasRoom).perform(request.operation)
                }
            }
            let files = outcomes.compactMap { if case .deleted(let file) = $0 { file } else { nil } }
            for job in Self.jobs(of: batch) {
                await change { state in
                    job.flatMap { state.hub.finish(batch[$0].ticket, outcomes[$0]) }
                }
            }
            if !files.isEmpty { await removeFiles(files) }
        } catch {
            log(error)
            await change { state in
                let all = batch + state.requests
                state.requests = []
                return state.hub.fail(all.map(\.ticket))
            }
        }
    }

    /// Divides a batch into ranges of operations whose outcomes are handled in one task of the event loop.
    private static func jobs(of batch: [Request]) -> [Range<Int>] {
        var (jobs, start, weight): ([Range<Int>], Int, Int) = ([], 0, 0)
        for (index, request) in batch.enumerated() {
            weight += request.operation.weight
            guard weight > heaviestJob else { continue }
            jobs.append(start..<index)
            (start, weight) = (index, request.operation.weight)
        }
        return jobs + [start..<batch.count]
    }

    /// Updates the search index; if the database is not writable, the search uses the index as it is.
    private func indexRest() async throws {
        guard try await !database.read({ try ChatTables($0, now: 0).isWhollyIndexed() }) else { return }
        do { try await database.write { try ChatTables($0, now: 0).indexRest() } } catch { log(error) }
    }

    private func perform(_ search: Request) async {
        do {
            try await indexRest()
            let outcome = try await database.read { try ChatTables($0, now: 0).perform(search.operation) }
            await change { $0.hub.finish(search.ticket, outcome) }
        } catch {
            log(error)
            await change { $0.hub.fail([search.ticket]) }
        }
    }

    private func log(_ error: any Error) {
        logger.error("chat: \((error as? ServerStoreFailure)?.message ?? "\(error)")")
    }
}
