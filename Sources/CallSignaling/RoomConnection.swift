internal import Basics
internal import CallCore
internal import Logging
internal import SocketIOClient

/// The driver of the room's state machine, which passes socket events to it and performs its effects.
struct RoomConnection: Sendable {
    /// The maximum number of events that wait for their reader.
    ///
    /// If fewer than `reserve` slots remain free, the session fails; the failure still fits into the queue.
    static let eventLimit = 1024
    private static let reserve = 16

    let socket: Socket
    let configuration: SignalingConfiguration
    let username: String
    let logger: Logger
    let outgoing: OutgoingSignals

    /// Reports the events of the room until it has failed or the task is cancelled.
    func run(reportingTo events: AsyncStream<RoomEvent>.Continuation) async {
        let (inputs, inbox) = AsyncStream.makeStream(of: RoomStateMachine.Input.self)
        let (turns, taken) = AsyncStream.makeStream(of: Void.self)
        var machine = RoomStateMachine(configuration, username: username)
        var isFlooded = false
        await withDiscardingTaskGroup { group in
            group.addTask {
                // Events are moved one at a time: the socket bounds its backlog, our queue does not.
                var reader = turns.makeAsyncIterator()
                for await event in socket.events {
                    inbox.yield(.socket(event))
                    guard await reader.next() != nil else { return }
                }
            }

            group.addTask {
                for await oversize in outgoing.oversizes { inbox.yield(.oversize(oversize)) }
            }

            func perform(_ effects: [RoomStateMachine.Effect]) async {
                for effect in effects {
                    switch effect {
                    case .report(let event):
                        let event = await located(event)
                        if case .enqueued(let remaining) = events.yield(event) {
                            isFlooded = remaining < Self.reserve
                        }
                    case .connect: await socket.connect()
                    case .tellMiss(let reason): configuration.whenMissed(reason)
                    case .wrap(let isWrapping): outgoing.setWrapping(isWrapping)
                    case .acknowledge(let ack): await ack()
                    case .ignore(let event):
                        logger.debug("event ignored", metadata: ["event": "\(event.printable())"])
                    case .startDeadline(let deadline, let joining, let limit):
                        group.addTask {
                            guard (try? await configuration.clock.sleep(for: limit)) != nil else { return }
                            inbox.yield(.deadline(deadline, joining: joining))
                        }
                    }
                }
            }

            await perform(machine.start())
            for await input in inputs {
                await perform(machine.handle(input))
                if case .socket = input { taken.yield() }
                if isFlooded { await perform(machine.handle(.flooded)) }
                if machine.isOver { break }
            }
            group.cancelAll()
        }
        events.finish()
        await socket.disconnect()
    }

    /// Adds the reach of the signaling server to an event that lists STUN and TURN servers.
    private func located(_ event: RoomEvent) async -> RoomEvent {
        guard case .iceServers(var servers) = event else { return event }
        let place = configuration.place(ofServerAt: await socket.serverAddress())
        for index in servers.indices { servers[index].namedFrom = place }
        return .iceServers(servers)
    }
}
