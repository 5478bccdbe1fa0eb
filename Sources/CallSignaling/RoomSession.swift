internal import CallCore
internal import Logging
internal import SocketIOClient

/// Carries out what the room's machine decides.
struct RoomSession: Sendable {
    let socket: Socket
    let configuration: SignalingConfiguration
    let logger: Logger

    /// Reports what happens in the room, until it has failed or the task is cancelled.
    func run(reportingTo news: AsyncStream<RoomEvent>.Continuation) async {
        let (inputs, inbox) = AsyncStream.makeStream(of: RoomMachine.Input.self)
        var machine = RoomMachine(configuration)
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await event in socket.events { inbox.yield(.socket(event)) }
            }

            func perform(_ effects: [RoomMachine.Effect]) async {
                for effect in effects {
                    switch effect {
                    case .report(let event): news.yield(event)
                    case .connect: await socket.connect()
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
                if machine.isOver { break }
            }
            group.cancelAll()
        }
        news.finish()
        await socket.disconnect()
    }
}
