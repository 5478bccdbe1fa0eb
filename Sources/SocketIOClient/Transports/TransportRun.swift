internal import GLibKit

/// A running transport, until `letGo()` is called.
@LoopActor
final class TransportRun {
    nonisolated let transport: any Transport
    private nonisolated let hold: AsyncStream<Never>
    private nonisolated let holding: AsyncStream<Never>.Continuation

    nonisolated init(_ transport: any Transport) {
        self.transport = transport
        (hold, holding) = AsyncStream.makeStream()
    }

    // On the loop, because libsoup's objects must be released on the thread that they live on.
    isolated deinit {}

    /// Runs the transport and forwards its events, until `letGo()` is called or the task is cancelled.
    func run(onEvent: @escaping @LoopActor @Sendable (TransportEvent) -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.transport.run() }
            group.addTask {
                for await event in self.transport.events { await onEvent(event) }
            }
            for await _ in hold {}
            group.cancelAll()
        }
    }

    /// Ends the transport without waiting for unsent packets.
    func letGo() {
        transport.close()
        holding.finish()
    }
}
