import Testing

@testable import WindowKit

@Suite("SDL executor", .timeLimit(.minutes(4)))
struct SDLExecutorTests {
    private actor Counter {
        private let executor = SDLExecutor(threadName: "test-sdl")
        private(set) var count = 0

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func increment() {
            executor.checkIsolated()
            count += 1
        }
    }

    @Test("Jobs run one after another even before SDL is initialized")
    func jobs() async {
        let counter = Counter()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<500 { await counter.increment() } }
            }
        }
        #expect(await counter.count == 4000)
    }

    @Test("An executor that is not waiting for events refuses redraw events")
    func redraw() {
        #expect(!SDLExecutor(threadName: "test-sdl").postRedraw(ofWindow: 1))
    }

    @Test("Only the executor's own thread counts as isolated")
    func isolation() {
        #expect(SDLExecutor(threadName: "test-sdl").isIsolatingCurrentContext() == false)
    }

    @Test("WindowActor.assumeIsolated traps on any thread other than the window's")
    func trap() async {
        await #expect(processExitsWith: .failure) {
            WindowActor.assumeIsolated {}
        }
    }
}
