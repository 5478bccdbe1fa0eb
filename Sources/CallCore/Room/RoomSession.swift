/// A session in a room, with one queue for all inputs and another one for all outgoing messages.
///
/// The same reader handles the inputs during calls and between them, so that no event is lost. No other
/// reader may read the channel's events.
package struct RoomSession {
    /// The queue of inputs: several tasks may add to it, only the session reads it.
    package typealias Inputs = (
        stream: AsyncStream<RoomInput>, continuation: AsyncStream<RoomInput>.Continuation
    )

    enum Order: Sendable {
        case send(SignalMessage)
        case probe
        case rejoin
    }

    package var presence: PresenceTracker
    let channel: any SignalingChannel
    let media: any MediaService
    let clock: any Clock<Duration>
    let inputs: AsyncStream<RoomInput>.Continuation
    private var iterator: AsyncStream<RoomInput>.Iterator
    private let orders: AsyncStream<Order>.Continuation
    private let timers: AsyncStream<(RoomTimer, Duration)>.Continuation
    private let taken: AsyncStream<Void>.Continuation
    private let observe: @Sendable (RoomEvent, [PresenceChange]) -> Void

    /// Runs `body` with a session that reads `channel`; no task is left when this returns.
    ///
    /// `observe` receives each room event when the session handles it.
    package static func run<Result: Sendable>(
        _ presence: PresenceTracker,
        channel: any SignalingChannel,
        media: any MediaService,
        clock: any Clock<Duration> = ContinuousClock(),
        inputs: Inputs,
        observe: @escaping @Sendable (RoomEvent, [PresenceChange]) -> Void = { _, _ in },
        _ body: (inout RoomSession) async -> Result
    ) async -> Result {
        let orders = AsyncStream.makeStream(of: Order.self)
        let timers = AsyncStream.makeStream(of: (RoomTimer, Duration).self)
        let taken = AsyncStream.makeStream(of: Void.self)
        var session = RoomSession(
            presence: presence,
            channel: channel,
            media: media,
            clock: clock,
            inputs: inputs.continuation,
            iterator: inputs.stream.makeAsyncIterator(),
            orders: orders.continuation,
            timers: timers.continuation,
            taken: taken.continuation,
            observe: observe
        )
        return await withTaskGroup { group in
            group.addTask {
                // Events are moved one at a time, when the reader is ready: the channel bounds its backlog,
                // our queue does not.
                var turns = taken.stream.makeAsyncIterator()
                for await event in channel.events {
                    inputs.continuation.yield(.room(event, []))
                    guard await turns.next() != nil else { return }
                }
            }
            group.addTask { await keep(timers.stream, clock, inputs.continuation) }
            // The last orders, such as a hangup message, must be carried out before the room is left.
            async let ordersDone: Void = follow(orders.stream, channel)
            let result = await body(&session)
            orders.continuation.finish()
            await ordersDone
            group.cancelAll()
            return result
        }
    }

    /// Waits for the next input; nil if the task is cancelled.
    package mutating func next() async -> RoomInput? {
        while let input = await iterator.next(isolation: #isolation) {
            switch input {
            case .room(let event, _):
                taken.yield()
                let changes = presence.apply(event)
                watchSocket(event)
                observe(event, changes)
                return .room(event, changes)
            case .timer(let timer):
                if presence.isArmed(timer) { return input }
            case .ownMedia(let change):
                presence.ownMedia.apply(change)
                return input
            case .command, .attempt, .mediaPrepared:
                return input
            }
        }
        return nil
    }

    /// Starts a timer, which replaces a running one of the same kind.
    package mutating func start(_ kind: RoomTimer.Kind, _ span: Duration) {
        start(presence.arm(kind), span)
    }

    func start(_ timer: RoomTimer, _ span: Duration) {
        timers.yield((timer, span))
    }

    package func send(_ message: SignalMessage) {
        orders.yield(.send(message))
    }

    func perform(_ order: Order) {
        orders.yield(order)
    }

    private mutating func watchSocket(_ event: RoomEvent) {
        switch event {
        case .joined:
            presence.disarm(.signaling)
            presence.disarm(.silence)
        case .rejoining, .disconnected:
            if let timeout = presence.signalingTimeout { start(.signaling, timeout) }
        case .roomState, .roomSilent, .peerJoined, .peerLeft, .message, .iceServers, .offerReduced, .failed:
            break
        }
    }

    private static func keep(
        _ timers: AsyncStream<(RoomTimer, Duration)>,
        _ clock: any Clock<Duration>,
        _ inputs: AsyncStream<RoomInput>.Continuation
    ) async {
        await withDiscardingTaskGroup { group in
            for await (timer, span) in timers {
                group.addTask {
                    guard (try? await clock.sleep(for: span)) != nil else { return }
                    inputs.yield(.timer(timer))
                }
            }
        }
    }

    private static func follow(_ orders: AsyncStream<Order>, _ channel: any SignalingChannel) async {
        for await order in orders {
            switch order {
            case .send(let message): await channel.send(message)
            case .probe: await channel.probe()
            case .rejoin: await channel.rejoin()
            }
        }
    }
}
