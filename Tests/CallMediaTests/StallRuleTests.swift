import Testing

@testable import CallMedia

@Suite("Stalls")
struct StallRuleTests {
    private static let start = ContinuousClock.now

    private static func deadline(
        lastPacket: Duration?,
        lastSound: Duration? = nil
    ) -> Duration {
        let liveness = StallRule.Liveness(
            lastPacket: lastPacket.map { start + $0 },
            lastSound: lastSound.map { start + $0 }
        )
        return StallRule(start: start).deadline(after: liveness) - start
    }

    @Test("Nothing at all is a stall eight seconds after the connection is up")
    func nothing() { #expect(Self.deadline(lastPacket: nil) == .seconds(8)) }

    @Test("A handshake's packets do not shorten the wait for the first media")
    func handshake() { #expect(Self.deadline(lastPacket: .seconds(-6)) == .seconds(8)) }

    @Test(
        "A peer that sends no sound, and pictures only while its camera is on, has eight seconds from each packet on"
    )
    func withoutSound() {
        #expect(Self.deadline(lastPacket: .seconds(7.5)) == .seconds(15.5))
    }

    @Test("While sound flows five seconds without a packet of any kind are a stall")
    func soundFlows() {
        #expect(Self.deadline(lastPacket: .seconds(60), lastSound: .seconds(59)) == .seconds(65))
        #expect(Self.deadline(lastPacket: .seconds(60), lastSound: .seconds(60.1)) == .seconds(65))
    }

    @Test("Where sound has ended and RTCP goes on it is eight seconds again")
    func soundHasEnded() {
        #expect(Self.deadline(lastPacket: .seconds(60), lastSound: .seconds(57)) == .seconds(68))
    }
}
