import Testing

@testable import CallMedia

@Suite("Stalls")
struct StallRuleTests {
    private static let start = ContinuousClock.now

    private static func deadline(
        lastPacket: Duration?,
        hasMedia: Bool
    ) -> Duration {
        let liveness = StallRule.Liveness(lastPacket: lastPacket.map { start + $0 }, hasMedia: hasMedia)
        return StallRule(start: start).deadline(after: liveness) - start
    }

    @Test("Nothing at all is a stall eight seconds after the connection is up")
    func nothing() { #expect(Self.deadline(lastPacket: nil, hasMedia: false) == .seconds(8)) }

    @Test("A handshake's packets do not shorten the wait for the first media")
    func handshake() { #expect(Self.deadline(lastPacket: .seconds(-6), hasMedia: false) == .seconds(8)) }

    @Test("A peer that tells only by RTCP that it lives has eight seconds from each report on")
    func reportsAlone() {
        #expect(Self.deadline(lastPacket: .seconds(7.5), hasMedia: false) == .seconds(15.5))
    }

    @Test("After media five seconds without a packet of any kind are a stall")
    func afterMedia() { #expect(Self.deadline(lastPacket: .seconds(60), hasMedia: true) == .seconds(65)) }
}
