internal import GLibKit

/// The actor that controls pipelines.
///
/// State changes may block until streaming threads have stopped. Therefore they run on a separate thread, not in the
/// cooperative pool or on the signaling loop.
@globalActor package actor MediaActor {
    package static let shared = MediaActor()
    private static let executor = GLibExecutor(threadName: "media-control")

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        Self.executor.asUnownedSerialExecutor()
    }
    package static var sharedUnownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}
