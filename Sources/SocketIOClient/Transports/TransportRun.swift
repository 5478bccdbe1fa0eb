internal import Basics
internal import GLibKit

/// The run of a transport, which lasts until `letGo()` is called.
@LoopActor
final class TransportRun {
    nonisolated let transport: any Transport
    private nonisolated let hold: AsyncStream<Never>
    private nonisolated let holding: AsyncStream<Never>.Continuation

    nonisolated init(_ transport: any Transport) {
        self.transport = transport
        (hold, holding) = AsyncStream.makeStream()
    }

    // The deinitializer runs on `LoopActor`, because libsoup's objects must be released on the thread that
    // uses them.
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
