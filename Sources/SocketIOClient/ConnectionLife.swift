internal import GLibKit

/// One transport with its deadlines, which end together.
@LoopActor
final class ConnectionLife {
    let transport: any Transport

    private let number: Int
    private let clock: any Clock<Duration>
    private let deadlines: AsyncStream<(ConnectionDeadline, Duration)>
    private let newDeadlines: AsyncStream<(ConnectionDeadline, Duration)>.Continuation

    init(number: Int, configuration: SocketConfiguration) {
        self.number = number
        clock = configuration.clock
        transport = WebSocketTransport(
            url: configuration.endpoint.webSocketURL,
            trust: configuration.trust,
            maximumPayload: configuration.maximumPayload
        )
        (deadlines, newDeadlines) = AsyncStream.makeStream()
    }

    func startDeadline(_ deadline: ConnectionDeadline, after wait: Duration) {
        newDeadlines.yield((deadline, wait))
    }

    /// Ends the life; the transport is closed if it is not yet.
    func abandon() {
        transport.close()
        newDeadlines.finish()
    }

    /// Opens the transport and passes on what happens, until the life is abandoned.
    func run(for connection: Connection) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.transport.open() }
            group.addTask {
                for await event in self.transport.events {
                    await connection.handle(.transport(event, life: self.number))
                }
            }
            for await (deadline, wait) in deadlines {
                group.addTask {
                    guard (try? await self.clock.sleep(for: wait)) != nil else { return }
                    await connection.handle(.deadline(deadline, life: self.number))
                }
            }
            group.cancelAll()
        }
    }
}
