internal import Basics
internal import GLibKit

/// A connection that performs the effects of its state machine: it runs transports and deadlines, and
/// delivers events and acknowledgements.
@LoopActor
final class Connection {
    /// The maximum number of unread events, not counting reports about the connection itself.
    private nonisolated static let eventLimit = 1024
    /// The maximum memory of unread events in bytes.
    private nonisolated static let eventSize = 16 << 20

    nonisolated let events: AsyncStream<SocketEvent>

    private let configuration: SocketConfiguration
    private let elapsed: @Sendable () -> Duration
    private let eventQueue = BoundedQueue<SocketEvent>(countLimit: eventLimit, sizeLimit: eventSize)
    private let jobs: AsyncStream<Job>
    private let jobSink: AsyncStream<Job>.Continuation

    private var machine: ConnectionStateMachine
    private var life: ConnectionLife?
    private var acks: [Int: AsyncThrowingStream<[JSON], any Error>.Continuation] = [:]
    private var ackCount = 0

    private enum Job: Sendable {
        case live(ConnectionLife)
        case sleep(Duration, then: ConnectionInput)
    }

    nonisolated init(_ configuration: SocketConfiguration) {
        self.configuration = configuration
        elapsed = stopwatch(on: configuration.clock)
        machine = ConnectionStateMachine(configuration)
        events = AsyncStream { [eventQueue] in await eventQueue.next() }
        (jobs, jobSink) = AsyncStream.makeStream()
    }

    /// Connects and runs until the input `.finish`; every task of the connection is a child of the calling
    /// task.
    func run() async {
        handle(.connect)
        await withDiscardingTaskGroup { group in
            group.addTask { await self.followNetwork() }
            for await job in jobs {
                group.addTask { await self.perform(job) }
            }
            group.cancelAll()
        }
        eventQueue.finish()
    }

    private func perform(_ job: Job) async {
        switch job {
        case .live(let life): await life.run(for: self)
        case .sleep(let wait, let input):
            // The task is cancelled only when the connection is finished.
            guard (try? await configuration.clock.sleep(for: wait)) != nil else { return }
            handle(input)
        }
    }

    private func followNetwork() async {
        for await _ in configuration.network.changes {
            handle(.networkChanged(lostAddress: lostAddress))
        }
    }

    /// A local address of the connection that this host no longer has; nil if there is none.
    private var lostAddress: String? {
        guard let life, let present = configuration.network.addresses() else { return nil }
        return life.transport.localAddresses.first { !present.contains($0) }
    }

    var serverAddress: String? { life?.transport.serverAddress }

    func handle(_ input: ConnectionInput) {
        for effect in machine.handle(input, at: elapsed()) { perform(effect) }
    }

    func emit(_ name: String, _ arguments: [JSON]) throws(SocketError) {
        for effect in try machine.emit(name, arguments) { perform(effect) }
    }

    func emitWithAck(_ name: String, _ arguments: [JSON], timeout: Duration) async throws -> [JSON] {
        let id = ackCount
        ackCount += 1
        let (answers, answer) = AsyncThrowingStream.makeStream(of: [JSON].self)
        acks[id] = answer
        defer {
            acks[id] = nil
            machine.withdraw(ackID: id)
        }
        for effect in try machine.emit(name, arguments, ackID: id) { perform(effect) }
        let arguments = try await withDeadline(timeout, clock: configuration.clock) {
            for try await arguments in answers { return arguments }
            // The stream ends without an acknowledgement only if this task was cancelled.
            throw CancellationError()
        }
        guard let arguments else { throw SocketError.timedOut }
        return arguments
    }

    func acknowledge(_ id: Int, _ arguments: [JSON], life: Int) {
        for effect in machine.acknowledge(id, arguments, life: life) { perform(effect) }
    }

    private func perform(_ effect: ConnectionEffect) {
        switch effect {
        case .open(let number, let transport):
            let life = ConnectionLife(number: number, over: transport, configuration: configuration)
            self.life = life
            jobSink.yield(.live(life))
        case .send(let packets): life?.transport.send(packets)
        case .close: life?.transport.close()
        case .ping: life?.transport.ping()
        case .abandon:
            life?.abandon()
            life = nil
        case .openProbe(let sid): life?.openProbe(sid: sid)
        case .sendOnProbe(let packets): life?.sendOnProbe(packets)
        case .dropProbe: life?.dropProbe()
        case .pausePolling: life?.pausePolling()
        case .resumePolling: life?.resumePolling()
        case .switchToProbe: life?.switchToProbe()
        case .startDeadline(.retry, let number, let wait):
            // The deadline of a retry runs outside of its session, because that session has already ended.
            jobSink.yield(.sleep(wait, then: .deadline(.retry, life: number)))
        case .startDeadline(let deadline, _, let wait): life?.startDeadline(deadline, after: wait)
        case .report(let report): self.report(report)
        case .resolveAck(let id, let arguments): acks.removeValue(forKey: id)?.yield(arguments)
        case .failAcks(let exceptions):
            for (id, answer) in acks where !exceptions.contains(id) {
                answer.finish(throwing: SocketError.disconnected)
            }
        case .finish: jobSink.finish()
        }
    }

    private func report(_ report: ConnectionReport) {
        guard !eventQueue.send(event(for: report), size: report.size) else { return }
        handle(.flooded)
    }

    private var transportName: String { life?.transport.name.rawValue ?? "" }

    private func event(for report: ConnectionReport) -> SocketEvent {
        switch report {
        case .connecting(let attempt): .connecting(attempt: attempt)
        case .connected(let sid): .connected(sid: sid, transport: transportName)
        case .upgraded: .upgraded(transport: transportName)
        case .event(let name, let arguments, let ackID, let life):
            .event(
                name: name,
                arguments: arguments,
                ack: ackID.map { SocketAck(connection: self, id: $0, life: life) }
            )
        case .undeliverable(let name, let bytes, let limit):
            .undeliverable(name: name, bytes: bytes, limit: limit)
        case .disconnected(let reason, let failure, let wait): .disconnected(reason, failure, retryIn: wait)
        case .connectFailed(let failure, let wait): .connectFailed(failure, retryIn: wait)
        case .refused(let message, let data): .refused(message: message, data: data)
        }
    }
}

/// Returns a function that measures the time since this call, on a clock of any type.
private func stopwatch<C: Clock<Duration>>(on clock: C) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
}
