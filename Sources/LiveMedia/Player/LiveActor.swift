internal import GLibKit

/// The actor that controls the pipelines of players.
///
/// A player whose server does not answer may block it for seconds, so calls have another one (`MediaActor`).
@globalActor actor LiveActor {
    static let shared = LiveActor()
    private static let executor = GLibExecutor(threadName: "live-control")

    nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }
    static var sharedUnownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}
