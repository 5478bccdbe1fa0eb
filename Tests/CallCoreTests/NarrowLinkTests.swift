import Testing

@testable import CallCore

@Suite("Detection of a link too narrow for a file's bit rate")
struct NarrowLinkTests {
    /// Creates the CPU times of two processors that were busy for the fraction `busy` of `seconds`.
    private static func times(after seconds: Double, busy: Double) throws -> CPUTimes {
        let (work, idle) = (Int(seconds * busy * 100), Int(seconds * (1 - busy) * 100))
        let lines = (0..<2).map { "cpu\($0) \(1000 + work) 0 0 \(1000 + idle) 0 0 0 0 0 0" }
        let stat = lines.joined(separator: "\n")
        return try #require(CPUTimes(stat: stat, status: "Cpus_allowed_list:\t0-1"))
    }

    /// Simulates ten seconds on a link with half the bit rate of the file.
    ///
    /// - Returns: the second at which the link first counts as too narrow; nil if it never does.
    private static func verdict(loss: Double, roundTrip: Double, busy: Double) throws -> Int? {
        var link = NarrowLink()
        for second in 0..<10 {
            let now = Double(second)
            link.handle(loss: loss, roundTrip: roundTrip, at: now)
            let times = try times(after: now, busy: busy)
            if link.isShort(of: 1_000_000, target: 500_000, processors: times, at: now) { return second }
        }
        return nil
    }

    @Test("Packet loss indicates a narrow link at any CPU load", arguments: [0, 1.0])
    func losses(_ busy: Double) throws {
        #expect(try Self.verdict(loss: 0.05, roundTrip: 0.1, busy: busy) == 3)
    }

    @Test("A long round trip indicates a narrow link if the CPU load is moderate")
    func longWay() throws { #expect(try Self.verdict(loss: 0, roundTrip: 0.8, busy: 0.5) == 3) }

    @Test("A long round trip at a high CPU load does not indicate a narrow link")
    func busyMachine() throws { #expect(try Self.verdict(loss: 0, roundTrip: 0.8, busy: 0.95) == nil) }

    @Test("A low bandwidth estimate alone does not indicate a narrow link")
    func estimateAlone() throws { #expect(try Self.verdict(loss: 0, roundTrip: 0.1, busy: 0) == nil) }

    @Test("An unknown CPU load counts as moderate")
    func unknownLoad() {
        var link = NarrowLink()
        let verdicts = (0..<5).map { second in
            link.handle(loss: nil, roundTrip: 0.8, at: Double(second))
            return link.isShort(of: 2, target: 1, processors: nil, at: Double(second))
        }
        #expect(verdicts == [false, false, false, true, true])
    }

    @Test("An estimate that covers the file's bit rate restarts the time until a link counts as too narrow")
    func recovered() {
        var link = NarrowLink()
        let targets = [1, 1, 1, 3, 1, 1, 1]
        let verdicts = targets.enumerated().map { second, target in
            link.handle(loss: 0.05, roundTrip: nil, at: Double(second))
            return link.isShort(of: 2, target: target, processors: nil, at: Double(second))
        }
        #expect(verdicts == [false, false, false, false, false, false, false])
    }

    @Test("The CPU load covers only the processors on which the process may run")
    func allowedProcessors() throws {
        let texts = [
            "cpu  1 0 0 11 0 0 0 0\ncpu0 1 0 0 1 0 0 0 0\ncpu1 0 0 0 10 0 0 0 0\ncpu2 1 0 0 0 0 0 0 0\nintr 5",
            "cpu  91 5 5 61 40 0 0 0\ncpu0 91 5 5 1 0 0 0 0\ncpu1 0 0 0 71 40 0 0 0\ncpu2 1 0 0 0 0 0 0 0\nintr 9",
        ]
        for (list, load) in [("0", 1.0), ("1", 0), ("0-1", 0.5), ("0,1", 0.5)] {
            let status = "Name:\tcallrunner\nCpus_allowed_list:\t\(list)\nMems_allowed_list:\t0\n"
            let first = try #require(CPUTimes(stat: texts[0], status: status))
            let second = try #require(CPUTimes(stat: texts[1], status: status))
            #expect(abs(try #require(second.load(since: first)) - load) < 0.01)
            #expect(second.load(since: second) == nil)
        }
        #expect(CPUTimes(stat: "", status: "Cpus_allowed_list:\t0") == nil)
        #expect(CPUTimes(stat: texts[1], status: "") == nil)
    }
}
