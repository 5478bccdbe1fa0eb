import Testing

@testable import CallMedia

@Suite("When sound is heard")
struct PlayoutDelayTests {
    private static let ms: UInt64 = 1_000_000

    /// The delays, in milliseconds, of sound every 20 ms that comes so much later than its time.
    private static func delays(_ lateness: [UInt64]) -> [UInt64] {
        var playout = PlayoutDelay()
        return lateness.enumerated().map { index, late in
            let time = (10_000 + UInt64(index) * 20) * ms
            return (playout.playTime(of: time, arrivingAt: time + late * ms) - time - PlayoutDelay.device)
                / ms
        }
    }

    @Test("Sound that comes a little earlier or later than the first is heard as evenly as it was said")
    func even() { #expect(Self.delays([40, 10, 60, 70, 40]) == [40, 40, 40, 40, 40]) }

    @Test("What comes too late moves everything behind it")
    func late() { #expect(Self.delays([40, 90, 40, 40]) == [40, 90, 90, 90]) }

    @Test("A delay that nothing needs for ten seconds is given up")
    func shrinking() {
        let delays = Self.delays([200] + [UInt64](repeating: 20, count: 1200))
        #expect(delays[499] == 200)
        #expect(delays.last == 20)
    }

    @Test("A delay that is needed now and then stays")
    func staying() {
        let delays = Self.delays((0..<1200).map { $0 % 100 == 0 ? 200 : 20 })
        #expect(Set(delays) == [200])
    }

    @Test("Sound from the future or from long ago is heard now")
    func odd() {
        var playout = PlayoutDelay()
        let device = PlayoutDelay.device
        #expect(playout.playTime(of: 9_000, arrivingAt: 8_000) == 8_000 + device)
        #expect(playout.playTime(of: .max, arrivingAt: 8_000) == 8_000 + device)
        #expect(playout.playTime(of: 0, arrivingAt: 5_000 * Self.ms) == 5_000 * Self.ms + device)
        #expect(playout.playTime(of: .max, arrivingAt: .max) > 1 << 63)
    }
}
