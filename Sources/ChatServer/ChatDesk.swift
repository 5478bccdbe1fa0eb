internal import ChatCore
internal import GRDB
internal import HTTPFront
internal import Logging
internal import NIOCore
internal import ServerStore
internal import Synchronization

/// The driver of a `ChatHub`: its sockets, its storage and its timers.
///
/// The hub changes only on the event loop; other tasks read it.
final class ChatDesk: Sendable {
    private typealias Request = (operation: ChatOperation, ticket: ChatTicket)

    private struct State {
        var hub: ChatHub
        var sockets: [ChatHub.SocketID: NIOLoopBound<ServiceSocket>] = [:]
        var lastSocket = 0
        var requests: [Request] = []
    }

    /// The maximum number of operations in one transaction.
    private static let longestBatch = 512

    let database: ServerDatabase
    private let state: Mutex<State>
    private let logger: Logger
    private let clock: @Sendable () -> Int64
    private let wakes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(
        _ hub: ChatHub,
        _ database: ServerDatabase,
        logger: Logger,
        clock: @escaping @Sendable () -> Int64
    ) {
        state = Mutex(State(hub: hub))
        (self.database, self.logger, self.clock) = (database, logger, clock)
    }

    /// Reads the hub.
    func read<Value: Sendable>(_ body: (borrowing ChatHub) -> Value) -> Value {
        state.withLock { body($0.hub) }
    }

    /// Draws anew who of the simulated people is online.
    func drawSimulated() { state.withLock { $0.hub.simulated.draw() } }

    // MARK: Sockets

    /// Adds a socket; called on its event loop.
    func open(_ socket: ServiceSocket, person: Int, peer: Int?, isExtended: Bool, names: [Int: String]) -> Int
    {
        let bound = NIOLoopBound(socket, eventLoop: socket.eventLoop)
        let (id, effects) = state.withLock { state in
            state.lastSocket += 1
            state.sockets[state.lastSocket] = bound
            let effects = state.hub.open(
                state.lastSocket,
                person: person,
                peer: peer,
                isExtended: isExtended,
                names: names
            )
            return (state.lastSocket, effects)
        }
        perform(effects, on: socket.eventLoop)
        return id
    }

    func receive(_ text: String, from id: Int, _ socket: ServiceSocket) {
        let effects = state.withLock { $0.hub.receive(text, from: id, at: socket.eventLoop.now) }
        perform(effects, on: socket.eventLoop)
    }

    func close(_ id: Int, _ socket: ServiceSocket) {
        let effects = state.withLock { state in
            state.sockets[id] = nil
            return state.hub.close(id)
        }
        perform(effects, on: socket.eventLoop)
    }

    private func perform(_ effects: [ChatHub.Effect], on eventLoop: any EventLoop) {
        for effect in effects {
            switch effect {
            case .send(let text, let id): socket(id)?.send(text)
            case .close(let id, let code): socket(id)?.close(code)
            case .perform(let operation, let ticket):
                state.withLock { $0.requests.append((operation, ticket)) }
                wakes.continuation.yield()
            case .reply(let person, let peer, let delay):
                eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) {
                    let effects = self.state.withLock { $0.hub.reply(from: person, to: peer) }
                    self.perform(effects, on: eventLoop)
                }
            }
        }
    }

    private func socket(_ id: Int) -> ServiceSocket? { state.withLock { $0.sockets[id] }?.value }

    // MARK: Storage

    /// Performs the operations, in batches, until the task is cancelled.
    func run() async {
        for await _ in wakes.stream {
            while !Task.isCancelled {
                let batch = state.withLock { state in
                    let batch = Array(state.requests.prefix(Self.longestBatch))
                    state.requests.removeFirst(batch.count)
                    return batch
                }
                guard !batch.isEmpty else { break }
                await perform(batch)
            }
        }
    }

    private func perform(_ batch: [Request]) async {
        let start = clock()
        let outcomes: [ChatOutcome]?
        do {
            outcomes = try await database.write { database in
                try batch.enumerated().map { index, request in
                    // Times of one batch differ, because plain clients tell messages apart by them.
                    try ChatTables(database, now: start + Int64(index)).perform(request.operation)
                }
            }
        } catch {
            let reason = (error as? ServerStoreFailure)?.message ?? "\(error)"
            logger.error("chat: \(reason)")
            outcomes = nil
        }
        await finish(batch, outcomes)
    }

    /// Passes the outcomes on, on the event loop; nil if the batch was not stored.
    private func finish(_ batch: [Request], _ outcomes: [ChatOutcome]?) async {
        guard let eventLoop = state.withLock({ $0.sockets.first?.value.eventLoop }) else {
            return finish(batch, outcomes, on: nil)
        }
        try? await eventLoop.submit { self.finish(batch, outcomes, on: eventLoop) }.get()
    }

    private func finish(_ batch: [Request], _ outcomes: [ChatOutcome]?, on eventLoop: (any EventLoop)?) {
        for (index, request) in batch.enumerated() {
            let effects = state.withLock { state in
                if let outcomes {
                    state.hub.finish(request.ticket, outcomes[index])
                } else {
                    state.hub.fail(request.ticket)
                }
            }
            if let eventLoop { perform(effects, on: eventLoop) }
        }
    }
}
