import CallCore
import CallTesting
import Testing

@Suite("Cancellation and hang-up of a call")
@MainActor
struct CallCancellationTests {
    private nonisolated static func slow(_: Int) -> FakeMedia.Script {
        var script = FakeMedia.Script()
        script.delay = .milliseconds(2)
        return script
    }

    @Test("A call cancelled at any moment leaves no session open", .timeLimit(.minutes(4)), arguments: 0...14)
    func cancelled(milliseconds: Int) async throws {
        let result = await Simulation.run { clock in
            let bench = CallBench(clock, caller: Self.slow, callee: Self.slow)
            let records = await withTaskGroup(of: CallBench.Record?.self) { group in
                group.addTask { await bench.call(.callee) }
                group.addTask { await bench.call(.caller) }
                group.addTask {
                    try? await clock.sleep(for: .milliseconds(milliseconds))
                    return nil
                }
                while let next = await group.next(), next != nil {}
                group.cancelAll()
                var records: [CallBench.Record] = []
                for await case let record? in group { records.append(record) }
                return records
            }
            return (records, bench.leftovers, clock.sleepers)
        }
        let (records, leftovers, sleepers) = try #require(result)
        #expect(leftovers.isEmpty)
        #expect(sleepers == 0)
        for record in records where !record.reports.isEmpty {
            guard case .ended = record.reports.last else {
                Issue.record("the last report is \(String(describing: record.reports.last))")
                continue
            }
        }
    }

    @Test("A hang-up ends the call in every state", .timeLimit(.minutes(4)), arguments: 0...14, Role.allCases)
    func hungUp(milliseconds: Int, by role: Role) async throws {
        let result = await Simulation.run { clock in
            let bench = CallBench(clock, caller: Self.slow, callee: Self.slow)
            let inputs: RoomSession.Inputs = AsyncStream.makeStream(of: RoomInput.self)
            let other = role.opposite
            async let theirs = bench.call(other)
            async let ours = bench.call(role, commands: inputs)
            try? await clock.sleep(for: .milliseconds(milliseconds))
            inputs.continuation.yield(.command(.hangUp))
            // If the first hang-up came before the callee's call had begun, the second one ends the call.
            try? await clock.sleep(for: .milliseconds(20))
            inputs.continuation.yield(.command(.hangUp))
            return await (ours, theirs, bench.leftovers, clock.now.offset)
        }
        let (ours, theirs, leftovers, time) = try #require(result)
        #expect(ours.end == .hungUp(by: .us))
        #expect(theirs.end == nil || theirs.end == .peerLeft)
        #expect(leftovers.isEmpty)
        #expect(time < .seconds(1))
    }

    private nonisolated static let hanging: [FakeMedia.Script] = {
        let hangs = FakeMedia.Script.Step.hangs
        var (makes, offers, applies) = (FakeMedia.Script(), FakeMedia.Script(), FakeMedia.Script())
        makes.makes = hangs
        offers.offers = hangs
        applies.applies = hangs
        return [makes, offers, applies]
    }()

    @Test(
        "A hang-up does not wait for a media session that never responds",
        .timeLimit(.minutes(4)),
        arguments: hanging
    )
    func stuck(script: FakeMedia.Script) async throws {
        let result = await Simulation.run { clock in
            let bench = CallBench(clock, caller: { _ in script })
            let inputs: RoomSession.Inputs = AsyncStream.makeStream(of: RoomInput.self)
            async let callee = bench.call(.callee)
            async let caller = bench.call(.caller, commands: inputs)
            try? await clock.sleep(for: .seconds(1))
            inputs.continuation.yield(.command(.hangUp))
            return await (caller, callee, bench.leftovers, clock.now.offset)
        }
        let (caller, _, leftovers, time) = try #require(result)
        #expect(caller.end == .hungUp(by: .us))
        #expect(leftovers.isEmpty)
        #expect(time == .seconds(1))
    }
}
