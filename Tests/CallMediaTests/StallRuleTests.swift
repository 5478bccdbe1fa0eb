import Testing

@testable import CallMedia

@Suite("Stall detection")
struct StallRuleTests {
    private static let start = ContinuousClock.now

    private static func deadline(
        lastPacket: Duration?,
        lastAudio: Duration? = nil
    ) -> Duration {
        let liveness = StallRule.Liveness(
            lastPacket: lastPacket.map { start + $0 },
            lastAudio: lastAudio.map { start + $0 }
        )
        return StallRule(start: start).deadline(after: liveness) - start
    }

    @Test("Without any packet, a stall is detected eight seconds after the connection is up")
    func nothing() { #expect(Self.deadline(lastPacket: nil) == .seconds(8)) }

    @Test("Packets of the handshake do not shorten the wait for the first media")
    func handshake() { #expect(Self.deadline(lastPacket: .seconds(-6)) == .seconds(8)) }

    @Test(
        "Without audio, a stall is detected eight seconds after the last packet"
    )
    func withoutAudio() {
        #expect(Self.deadline(lastPacket: .seconds(7.5)) == .seconds(15.5))
    }

    @Test("While audio flows, a stall is detected five seconds after the last packet")
    func audioFlows() {
        #expect(Self.deadline(lastPacket: .seconds(60), lastAudio: .seconds(59)) == .seconds(65))
        #expect(Self.deadline(lastPacket: .seconds(60), lastAudio: .seconds(60.1)) == .seconds(65))
    }

    @Test("After the audio has ended, the limit is eight seconds again")
    func audioHasEnded() {
        #expect(Self.deadline(lastPacket: .seconds(60), lastAudio: .seconds(57)) == .seconds(68))
    }
}
