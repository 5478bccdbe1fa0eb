import AppFlow
import ArgumentParser
import Basics
import CallCore
import CallMedia
import Testing

@testable import callrunner

@Suite("Several calls of one process")
struct ManyCallsTests {
    private func request(_ arguments: String...) throws -> CallRequest {
        let flags = try CallFlags.parse(arguments)
        return try CallRequest(flags, Settings(environment: ["USER": "ann"], file: .none))
    }

    @Test("Several calls use consecutive rooms and otherwise the same settings")
    func rooms() throws {
        let request = try request("--room", "7", "--calls", "3", "--caller", "--duration", "4")
        let plans = (1...3).map(request.plan(call:))
        #expect(plans.map(\.identity.room.value) == [7, 8, 9])
        #expect(plans.allSatisfy { $0.role == .caller && $0.options.duration == .seconds(4) })
    }

    @Test(
        "The file name of several calls' recordings must contain {room} or {call}",
        arguments: ["--record", "--record-local", "--record-both"]
    )
    func names(_ flag: String) throws {
        #expect(throws: Failure.self) { try request("--room", "1", "--calls", "2", flag, "a.mkv") }
        #expect(throws: Failure.self) { try request("--room", "1", "--calls", "2", flag, "{peer}.mkv") }
        for name in ["{room}.mkv", "{call}.mkv"] {
            #expect(try request("--room", "1", "--calls", "2", flag, name).calls == 2)
        }
        #expect(try request("--room", "1", flag, "a.mkv").calls == 1)
    }

    @Test(
        "Invalid flags for recordings, calls and metrics are rejected",
        arguments: [
            ["--record", "{nobody}.mkv"], ["--record", "{room.mkv"], ["--record-both", "a.mp4"],
            ["--record", "a.mkv", "--record-both", "a.mkv"], ["--record", "a.mkv", "--segment", "10ms"],
            ["--segment", "1m"], ["--snapshot", "a.gif"], ["--snapshot", "{segment}.jpg"],
            ["--snapshot-every", "1s"], ["--calls", "0"], ["--metrics-port", "65536"],
        ]
    )
    func refused(_ arguments: [String]) throws {
        let flags = try CallFlags.parse(["--room", "1"] + arguments)
        #expect {
            try CallRequest(flags, Settings(environment: ["USER": "ann"], file: .none))
        } throws: { ($0 as? Failure)?.exit == 64 }
    }

    @Test(
        "Percentiles are computed by nearest rank",
        arguments: [(0, 1.0), (50, 5), (90, 9), (91, 10), (99, 10), (100, 10), (-1, 1), (200, 10)]
    )
    func percentiles(_ percent: Int, _ value: Double) throws {
        let values = (1...10).map(Double.init).reversed() + [.nan, .infinity]
        #expect(try #require(Percentiles(values))[percent] == value)
    }

    @Test("The percentiles of a list without finite values are nil")
    func nothing() { #expect(Percentiles([.nan]) == nil && Percentiles([]) == nil) }

    private func summary(_ exits: [RunStatus]) throws -> GroupSummary {
        GroupSummary(
            rows: try exits.enumerated().map { index, exit in
                var outcome = RunOutcome()
                outcome.exit = exit
                outcome.calls = 1
                var totals = MediaTotals()
                totals.received[.video] = 30
                return GroupSummary.Row(
                    room: try RoomID(index + 1),
                    result: CallRun.Result(outcome: outcome, totals: totals, saved: []),
                    figures: CallMeasures.Figures()
                )
            }
        )
    }

    @Test(
        "The exit code of several calls is that of the most severe failure",
        arguments: [
            ([RunStatus.success, .success], RunStatus.success), ([.success, .timedOut], .timedOut),
            ([.timedOut, .signalingFailed], .signalingFailed),
            ([.mediaFailed, .signalingFailed], .mediaFailed),
            ([.mediaFailed, .recordingFailed, .timedOut], .recordingFailed),
        ]
    )
    func exit(_ exits: [RunStatus], _ expected: RunStatus) throws {
        #expect(try summary(exits).exit == expected)
    }

    @Test("The summary of several calls contains totals and a list of the calls")
    func fields() throws {
        let fields = try summary([.success, .timedOut]).fields(exit: 2)
        let text = JSON.object(fields).serialized()
        #expect(text.hasPrefix(#"{"calls":2,"attempts":0,"received":{"video":60,"#))
        #expect(text.contains(#""failed":1"#))
        #expect(text.contains(#"{"call":1,"calls":1"#) && text.contains(#"{"call":2,"calls":1"#))
        #expect(text.hasSuffix(#""exit":2}"#))
    }
}
