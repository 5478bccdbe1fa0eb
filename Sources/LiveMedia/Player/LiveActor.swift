internal import GLibKit

/// The actor that controls the pipelines of players.
///
/// A player whose server does not respond may block this actor for seconds, so calls use a different one
/// (`MediaActor`).
@globalActor actor LiveActor {
    static let shared = LiveActor()
    private static let executor = GLibExecutor(threadName: "live-control")

    nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }
    static var sharedUnownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}
