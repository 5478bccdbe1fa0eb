import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Audio levels")
struct AudioLevelTests {
    private static func level(_ samples: [Int16]) -> Double? {
        var level = AudioLevel()
        samples.withUnsafeBytes { level.add($0) }
        return level.decibels
    }

    @Test(
        "The level is the root mean square relative to a full-scale square wave",
        arguments: [
            ([Int16](repeating: .min, count: 480), 0), ([16384, -16384], -6), ([0, 0], -127),
            ([3277, -3277, 3277], -20), ([1], -90.3),
        ] as [([Int16], Double)]
    )
    func decibels(_ samples: [Int16], _ expected: Double) { #expect(Self.level(samples) == expected) }

    @Test("Empty input has no level, and an incomplete sample is ignored")
    func nothing() {
        #expect(Self.level([]) == nil)
        var level = AudioLevel()
        [UInt8](repeating: 1, count: 3).withUnsafeBytes { level.add($0) }
        #expect(level.count == 1)
    }

    @Test("The level of successive buffers is the level of their combined samples")
    func together() {
        var level = AudioLevel()
        for sample in [Int16.min, 0] { withUnsafeBytes(of: sample) { level.add($0) } }
        #expect(level.decibels == -3)
    }

    @Test("Each reading of a level meter starts a new measurement period")
    func meter() {
        let meter = AudioMeter()
        #expect(meter.read() == nil)
        [Int16](repeating: 16384, count: 100).withUnsafeBytes { meter.hear($0) }
        #expect(meter.read() == -6)
        #expect(meter.read() == nil)
    }

    @Test("A level meter reports the level of each tenth of a second")
    func moments() async {
        let (levels, events) = AsyncStream.makeStream(of: Double.self)
        let meter = AudioMeter { events.yield($0) }
        for sample in [16384, 0] as [Int16] {
            [Int16](repeating: sample, count: 2400).withUnsafeBytes {
                meter.hear($0)
                meter.hear($0)
            }
        }
        events.finish()
        var reported: [Double] = []
        for await level in levels { reported.append(level) }
        #expect(reported == [-6, AudioLevel.silence])
    }
}
