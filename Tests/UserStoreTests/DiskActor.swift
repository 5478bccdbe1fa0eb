import GLibKit

/// The isolation of tests that wait for the disk, for locks and for processes.
///
/// It has its own thread, because they would block Swift's thread pool, and with it the tests of other
/// suites.
@globalActor actor DiskActor {
    static let shared = DiskActor()
    static let executor = GLibExecutor(threadName: "test-disk")

    nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }
    static var sharedUnownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

/// One of several threads that use a folder at the same time.
actor DiskThread {
    private let executor = GLibExecutor(threadName: "test-disk")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run(_ body: @Sendable () throws -> Void) rethrows { try body() }
}
