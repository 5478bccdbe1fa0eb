internal import GLibKit

/// The actor that reads files for previews, and checks videos before they are played.
///
/// A disk that does not respond may block this actor, so calls use another one (`MediaActor`).
@globalActor package actor PreviewActor {
    package static let shared = PreviewActor()
    private static let executor = GLibExecutor(threadName: "previews")

    package nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }
    package static var sharedUnownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }
}
