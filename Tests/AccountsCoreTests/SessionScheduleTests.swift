import AccountsCore
import Basics
import CallTesting
import Testing

/// Random schedules of one or two processes with a common store, a network, and a server.
///
/// No session is lost that the server would have kept.
@Suite("Schedules of sessions")
struct SessionScheduleTests {
    @Test("In random schedules, no valid session is lost, and no two processes refresh at the same time")
    func schedules() {
        let count = Int(Simulation.schedules)
        var tally = SessionSchedule.Tally()
        for seed in 0..<Simulation.schedules {
            var schedule = SessionSchedule(seed: seed)
            schedule.run()
            #expect(schedule.problems.isEmpty, "seed \(seed)")
            tally.add(schedule.tally)
        }
        // Each kind of event happens often enough to mean something.
        #expect(tally.answered > 5 * count && tally.refreshes > count)
        let rare = [
            tally.failed, tally.repeats, tally.lostReplies, tally.lateArrivals, tally.restarts,
            tally.adoptions,
            tally.revocations, tally.signOuts, tally.failedStores,
        ]
        #expect(rare.allSatisfy { $0 > count / 50 }, "\(tally)")
    }
}
