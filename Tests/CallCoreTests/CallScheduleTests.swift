import CallTesting
import Foundation
import Testing

/// `CALLRUNNER_SCHEDULES` says how many are tried, from seed 0 on.
@Suite("Two peers, whatever happens to them")
@MainActor
struct CallScheduleTests {
    private static let count =
        ProcessInfo.processInfo.environment["CALLRUNNER_SCHEDULES"].flatMap(UInt64.init) ?? 500

    @Test("Both are connected in the end, or both have ended, and nothing is left open")
    func schedules() async throws {
        for seed in 0..<Self.count {
            let problems = await Simulation.run(seed: seed) { clock in
                await CallSchedule(seed: seed, clock).run()
            }
            #expect(problems == [], "seed \(seed)")
        }
    }
}
