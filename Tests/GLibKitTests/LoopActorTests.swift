import CGLib
import GLibKit
import Synchronization
import Testing

@Suite("The loop actor", .timeLimit(.minutes(4)))
struct LoopActorTests {
    /// Returns GLib's identifier of the current thread.
    private static func thread() -> UInt { UInt(bitPattern: g_thread_self()) }

    @LoopActor private static func threadOnLoop() -> UInt { thread() }

    @Test("All jobs run on one thread that is not the caller's")
    func oneThread() async {
        let threads = await withTaskGroup(of: UInt.self) { group in
            for _ in 0..<100 { group.addTask { await Self.threadOnLoop() } }
            return await group.reduce(into: Set<UInt>()) { $0.insert($1) }
        }
        #expect(threads.count == 1)
        #expect(!threads.contains(Self.thread()))
    }

    @Test("A function isolated to the actor runs on the loop's thread")
    @LoopActor func isolatedTest() {
        LoopActor.shared.preconditionIsolated()
        #expect(Self.thread() == Self.threadOnLoop())
    }

    @Test("GLib types that are not safe to register concurrently are registered before the first thread")
    func types() async {
        await #expect(processExitsWith: .success) {
            _ = GLibExecutor(threadName: "first")
            for name in [
                "GSocketAddress", "GInetSocketAddress", "GSocket", "GTlsCertificate", "GDBusConnection",
            ] {
                #expect(g_type_from_name(name) != 0, "\(name)")
            }
        }
    }

    @Test("Jobs run in the order in which they were enqueued")
    func order() async {
        let log = Log()
        await withTaskGroup { group in
            for number in 0..<50 {
                group.addTask { @LoopActor in log.append(number) }
            }
        }
        // The tasks of a group start in any order; the calls of a single task stay in order.
        for number in 100..<150 { await log.append(number) }
        let entries = await log.entries
        #expect(Set(entries.prefix(50)) == Set(0..<50))
        #expect(Array(entries.dropFirst(50)) == Array(100..<150))
    }

    @Test("A sleeping job does not block the loop, and resumes on the loop's thread")
    @LoopActor func sleeping() async throws {
        let thread = Self.thread()
        async let other = Self.threadOnLoop()
        try await Task.sleep(for: .milliseconds(5))
        #expect(Self.thread() == thread)
        #expect(await other == thread)
    }

    @Test("GLib's own sources fire on the loop's thread")
    @LoopActor func sources() async {
        let thread = Self.thread()
        let (fired, firing) = AsyncStream.makeStream(of: UInt.self)
        let box = Unmanaged.passRetained(Firing(firing))
        let source = g_timeout_source_new(1)
        g_source_set_callback(
            source,
            { data in
                // The pointer given to g_source_set_callback, which is valid until its destroy notify.
                Unmanaged<Firing>.fromOpaque(data!).takeUnretainedValue().yield(LoopActorTests.thread())
                return 0
            },
            box.toOpaque(),
            { data in Unmanaged<Firing>.fromOpaque(data!).release() }
        )  // the destroy notify gets the same pointer
        g_source_attach(source, g_main_context_get_thread_default())
        g_source_unref(source)
        #expect(await fired.next() == thread)
    }

    @Test("The turn counter of a loop increases both when the loop starts to wait and when it wakes")
    func turns() async {
        let actor = OwnThread()
        let busy = await actor.turns()
        while actor.executor.turns == busy { await Task.yield() }
        let waiting = actor.executor.turns
        #expect(await actor.turns() > waiting)
    }

    @Test("An isolation assertion outside the loop traps")
    func isolationTrap() async {
        await #expect(processExitsWith: .failure) { LoopActor.shared.preconditionIsolated() }
        await #expect(processExitsWith: .failure) { LoopActor.assumeIsolated {} }
    }

    @Test("A callback on the loop's thread can call the actor synchronously")
    @LoopActor func assumingIsolation() {
        func callback() -> UInt { LoopActor.assumeIsolated { Self.threadOnLoop() } }
        #expect(callback() == Self.thread())
    }
}

@LoopActor private final class Log {
    private(set) var entries: [Int] = []
    nonisolated init() {}
    func append(_ entry: Int) { entries.append(entry) }
}

private actor OwnThread {
    nonisolated let executor = GLibExecutor(threadName: "test-turns")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func turns() -> Int { executor.turns }
}

private final class Firing: Sendable {
    private let continuation: AsyncStream<UInt>.Continuation
    init(_ continuation: AsyncStream<UInt>.Continuation) { self.continuation = continuation }
    func yield(_ thread: UInt) { continuation.yield(thread) }
}
