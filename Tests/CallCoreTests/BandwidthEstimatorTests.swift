import Basics
import Testing

@testable import CallCore

@Suite("Bandwidth estimator")
struct BandwidthEstimatorTests {
    private static let bounds = 100_000...4_000_000

    private static func fall(seed: UInt64, delay: Double, loss: Double) -> [SimulatedLink.Moment] {
        var link = SimulatedLink(
            [
                .init(at: 0, capacity: 3_000_000), .init(at: 20, capacity: 500_000),
                .init(at: 40, capacity: 3_000_000),
            ],
            seed: seed
        )
        (link.delay, link.loss) = (delay, loss)
        var estimator = BandwidthEstimator(bounds: bounds, start: 1_500_000)
        return link.run(&estimator, seconds: 65)
    }

    @Test(
        "The target follows a drop of the link capacity within 5 s and a rise within 20 s",
        arguments: [(0.005, 0.0), (0.025, 0.0), (0.1, 0.0), (0.025, 0.05), (0.05, 0.05)],
        [UInt64(1), 2, 3]
    )
    func follows(_ path: (delay: Double, loss: Double), _ seed: UInt64) throws {
        let moments = Self.fall(seed: seed, delay: path.delay, loss: path.loss)
        #expect(try #require(moments.first(from: 20, within: 0...1)) < 25)
        #expect(try #require(moments.first(from: 40, within: 0.75...2)) < 60)
        #expect(moments.longestAbove(1.2) < 3)
    }

    @Test(
        "On a link of constant capacity, the mean target is 70 to 110 percent of the capacity",
        arguments: [400_000.0, 1_000_000, 3_000_000],
        [UInt64(1), 2]
    )
    func usesTheLink(_ capacity: Double, _ seed: UInt64) {
        var link = SimulatedLink([.init(at: 0, capacity: capacity)], seed: seed)
        var estimator = BandwidthEstimator(bounds: Self.bounds, start: 300_000)
        let settled = link.run(&estimator, seconds: 60).filter { $0.time > 30 }
        let mean = settled.reduce(0) { $0 + $1.target } / Double(settled.count)
        #expect((0.7...1.1).contains(mean / capacity))
    }

    @Test("The target reaches its upper bound on a wide link and its lower bound on a narrow link")
    func staysWithinBounds() {
        for capacity in [20_000.0, 50_000_000] {
            var link = SimulatedLink([.init(at: 0, capacity: capacity)], seed: 1)
            var estimator = BandwidthEstimator(bounds: Self.bounds, start: 1_500_000)
            let last = link.run(&estimator, seconds: 40).last?.target ?? 0
            #expect(Int(last) == (capacity < 1e6 ? Self.bounds.lowerBound : Self.bounds.upperBound))
        }
    }

    @Test("A constant packet loss of 33 percent lowers the target, but one of 5 percent does not")
    func loss() {
        for (loss, isLower) in [(0.05, false), (0.33, true)] {
            var link = SimulatedLink([.init(at: 0, capacity: 50_000_000)], seed: 4)
            link.loss = loss
            var estimator = BandwidthEstimator(bounds: Self.bounds, start: 2_000_000)
            let last = link.run(&estimator, seconds: 20).last?.target ?? 0
            #expect((last < 1_500_000) == isLower)
        }
    }

    @Test("The target falls to its minimum if feedback stops, but not while nothing is sent")
    func silence() {
        var estimator = BandwidthEstimator(bounds: Self.bounds, start: 2_000_000)
        estimator.handle([PacketFate(sent: 0, arrived: 0.02, size: 1200)], at: 0.1)
        estimator.pass(to: 1.0)
        #expect(estimator.target == 2_000_000)
        var idle = estimator
        idle.rest()
        for half in 3..<40 {
            estimator.pass(to: Double(half) / 2)
            idle.pass(to: Double(half) / 2)
        }
        #expect(estimator.target == Self.bounds.lowerBound)
        #expect(idle.target == 2_000_000)
    }

    @Test("With RTCP receiver reports alone, the target rises without loss and falls with heavy loss")
    func receiverReports() {
        var estimator = BandwidthEstimator(bounds: Self.bounds, start: 1_000_000)
        for second in 0..<10 {
            estimator.handle(lossFraction: 0, sending: Double(estimator.target), at: Double(second))
        }
        let grown = estimator.target
        #expect(grown > 1_500_000)
        for second in 10..<14 {
            estimator.handle(lossFraction: 0.4, sending: Double(estimator.target), at: Double(second))
        }
        #expect(estimator.target < grown / 2)
    }

    @Test("Absurd feedback values cause no trap and no target out of bounds", arguments: UInt64(1)...20)
    func strangeReports(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let odd = [
            0.0, -1, 1e-300, 1e300, -1e300, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, 1e9, -1e9,
            16_777_216,
        ]
        let number = { (generator: inout SeededGenerator) -> Double in
            Bool.random(using: &generator)
                ? odd.randomElement(using: &generator) ?? 0 : .random(in: -100...100, using: &generator)
        }
        var estimator = BandwidthEstimator(bounds: Self.bounds, start: 1_500_000)
        for _ in 0..<500 {
            let fates = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                PacketFate(
                    sent: number(&generator),
                    arrived: Bool.random(using: &generator) ? number(&generator) : nil,
                    size: [0, 1, 1200, 65_535, -1, .max, .min].randomElement(using: &generator) ?? 0
                )
            }
            switch Int.random(in: 0...5, using: &generator) {
            case 0: estimator.pass(to: number(&generator))
            case 1: estimator.roundTrip = number(&generator)
            case 2:
                let (loss, rate) = (number(&generator), number(&generator))
                estimator.handle(lossFraction: loss, sending: rate, at: number(&generator))
            default: estimator.handle(fates, at: number(&generator))
            }
            #expect(Self.bounds.contains(estimator.target))
            #expect((0...1).contains(estimator.lossFraction))
        }
    }

    @Test(
        "Invalid bounds and initial bit rates are corrected to valid ones",
        arguments: [(0, Int.max), (-5, 0), (7, -7)]
    )
    func oddBounds(_ minimum: Int, _ start: Int) {
        let estimator = BandwidthEstimator(bounds: minimum...max(minimum, 10), start: start)
        #expect((1...10).contains(estimator.target))
    }
}

@Suite("Resolution ladder")
struct ResolutionLadderTests {
    @Test("The resolution falls by one step each time the bit rate has been too low for one second")
    func down() {
        var ladder = ResolutionLadder(width: 1280, height: 720, framesPerSecond: 30)
        #expect(ladder.update(bitrate: 300_000, at: 0) == nil)
        #expect(ladder.update(bitrate: 2_000_000, at: 0.9) == nil)
        #expect(ladder.update(bitrate: 300_000, at: 1.1) == nil)
        #expect(ladder.update(bitrate: 300_000, at: 2.1) == .init(scale: 0.75, pace: 1))
        #expect(ladder.update(bitrate: 300_000, at: 2.2) == nil)
        #expect(ladder.update(bitrate: 300_000, at: 3.2) == .init(scale: 0.5, pace: 1))
        #expect(ladder.update(bitrate: 300_000, at: 9) == nil)
    }

    @Test("The resolution rises only after the bit rate has been sufficient for four seconds")
    func up() {
        var ladder = ResolutionLadder(width: 640, height: 360, framesPerSecond: 30)
        _ = ladder.update(bitrate: 150_000, at: 0)
        #expect(ladder.update(bitrate: 150_000, at: 1) == .init(scale: 0.75, pace: 1))
        #expect(ladder.update(bitrate: 260_000, at: 2) == nil)
        #expect(ladder.update(bitrate: 260_000, at: 20) == nil)
        #expect(ladder.update(bitrate: 400_000, at: 21) == nil)
        #expect(ladder.update(bitrate: 400_000, at: 24.9) == nil)
        #expect(ladder.update(bitrate: 400_000, at: 25) == .init(scale: 1, pace: 1))
    }

    @Test(
        "A bit rate that varies by 10 percent around a threshold changes the resolution at most once",
        arguments: UInt64(1)...5
    )
    func hysteresis(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var ladder = ResolutionLadder(width: 640, height: 360, framesPerSecond: 30)
        let step = Int(640 * 360 * 30 * 0.035)
        let changes = (0..<600).compactMap { tick in
            ladder.update(
                bitrate: step + Int.random(in: -step / 10...step / 10, using: &generator),
                at: Double(tick) / 10
            )
        }
        #expect(changes.count <= 1)
    }

    @Test("Even with invalid frame sizes, the scale is valid", arguments: [(0, 0), (-1, 5), (.max, .max)])
    func oddSizes(_ width: Int, _ height: Int) {
        var ladder = ResolutionLadder(width: width, height: height, framesPerSecond: .nan)
        for second in 0..<20 { _ = ladder.update(bitrate: 1_000_000, at: Double(second)) }
        #expect((0.2...1).contains(ladder.rung.scale))
    }
}
