import Testing

@testable import CallMedia

@Suite("Base addresses of ICE candidates")
struct CandidateBasesTests {
    private static let host = "candidate:1 1 UDP 2015363327 192.168.1.2 50000 typ host"
    private static let other = "candidate:2 1 UDP 2015363326 2001:DB8::1 50001 typ host"
    private static let reflexive =
        "candidate:3 1 UDP 1677722111 203.0.113.7 50000 typ srflx raddr 192.168.1.2 rport 50000"
    private static let relayed =
        "candidate:4 1 UDP 503316991 198.51.100.9 61000 typ relay raddr 192.168.1.2 rport 50000"
    private static let obscured =
        "candidate:5 1 UDP 503316991 198.51.100.10 61000 typ relay raddr 0.0.0.0 rport 0"

    private static func lost(
        _ candidates: [String] = [host, other, reflexive, relayed, obscured],
        selected: String?,
        present: Set<String>
    ) -> String? {
        var bases = CandidateBases()
        for candidate in candidates { bases.add(candidate) }
        return bases.lost(selected: selected, present: present)
    }

    @Test(
        "The selected pair is lost if the base address of its local candidate disappears",
        arguments: ["192.168.1.2", "203.0.113.7", "198.51.100.9"]
    )
    func selectedPair(_ selected: String) {
        #expect(Self.lost(selected: selected, present: ["2001:db8::1", "127.0.0.1"]) == "192.168.1.2")
        #expect(Self.lost(selected: selected, present: ["192.168.1.2", "127.0.0.1"]) == nil)
    }

    @Test("Addresses are compared case-insensitively")
    func capitals() {
        #expect(Self.lost(selected: "2001:DB8::1", present: ["2001:db8::1"]) == nil)
        #expect(Self.lost(selected: "2001:DB8::1", present: ["192.168.1.2"]) == "2001:db8::1")
    }

    @Test(
        "If the base address is unknown, the pair is lost only if all candidates' addresses disappear",
        arguments: [nil, "192.0.2.55", "198.51.100.10"]
    )
    func unknownBase(_ selected: String?) {
        #expect(Self.lost(selected: selected, present: ["2001:db8::1"]) == nil)
        #expect(Self.lost(selected: selected, present: ["10.0.0.1"]) == "192.168.1.2")
    }

    @Test("A server-reflexive candidate with two base addresses is lost once both have disappeared")
    func sharedMapping() {
        let second = Self.reflexive.replacing("192.168.1.2", with: "192.168.2.2")
        let candidates = [Self.reflexive, second]
        #expect(Self.lost(candidates, selected: "203.0.113.7", present: ["192.168.2.2"]) == nil)
        #expect(Self.lost(candidates, selected: "203.0.113.7", present: ["10.0.0.1"]) == "192.168.1.2")
    }

    @Test(
        "A local address counts as gained if it is new, has no candidate and is not link-local",
        arguments: [
            (["127.0.0.1"], "192.0.2.7"), (["192.0.2.7"], nil), ([], "192.0.2.7"),
        ] as [([String], String?)]
    )
    func gained(_ known: [String], _ expected: String?) {
        var bases = CandidateBases()
        bases.add(Self.host)
        let present: Set = ["192.168.1.2", "192.0.2.7", "fe80::1", "169.254.3.4"]
        #expect(bases.gained(known: Set(known), present: present) == expected)
        #expect(bases.gained(known: Set(known), present: ["192.168.1.2"]) == nil)
    }

    @Test(
        "Before candidates are gathered, no address counts as lost",
        arguments: [[], ["", "candidate:", "a b c d e f g h"]]
    )
    func nothingGathered(_ candidates: [String]) {
        #expect(Self.lost(candidates, selected: nil, present: []) == nil)
        #expect(Self.lost(candidates, selected: "192.168.1.2", present: []) == nil)
    }
}
