internal import GLibKit

/// A transport at work, until it is let go.
@LoopActor
final class TransportRun {
    nonisolated let transport: any Transport
    private nonisolated let hold: AsyncStream<Never>
    private nonisolated let holding: AsyncStream<Never>.Continuation

    nonisolated init(_ transport: any Transport) {
        self.transport = transport
        (hold, holding) = AsyncStream.makeStream()
    }

    // On the loop, because libsoup's objects must die on the thread that they live on.
    isolated deinit {}

    /// Runs the transport and passes on what happens, until it is let go or the task is cancelled.
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

    /// Ends the transport, without waiting for what has not been sent.
    func letGo() {
        transport.close()
        holding.finish()
    }
}
