import Basics
import CallCore
import GLibKit
import Testing

@testable import CallMedia

@Suite("ICE servers and local addresses for webrtcbin")
struct ICEServerListTests {
    @Test("The first STUN server and each distinct TURN server are used")
    func sorted() {
        let turn = ICEServer(
            urls: ["turn:t", "turn:t?transport=tcp", "turns:t", "turn:t"],
            username: "u",
            credential: "s"
        )
        let list = ICEServerList([ICEServer(urls: ["stun:a", "stun:b"]), turn])
        #expect(list.stun?.host == "a")
        #expect(list.turn.map(\.url.transport) == [.udp, .tcp, .tls])
        #expect(list.complaints.isEmpty)
    }

    @Test("Unusable URLs are ignored with a warning, and the number of servers is bounded")
    func complaints() {
        let few = ICEServerList([
            ICEServer(urls: ["turn:t"]), ICEServer(urls: ["x\u{1B}[2J"]),
            ICEServer(urls: ["turn:t"], username: "", credential: "s"),
        ])
        #expect(few.turn.isEmpty && few.complaints.count == 3)
        #expect(!few.complaints.joined().contains("\u{1B}"))
        let many = ICEServer(urls: (0..<100).map { "turn:t\($0)" }, username: "u", credential: "s")
        #expect(ICEServerList([many]).turn.count == 8)
    }

    private static func named(_ urls: [String], from place: HostReach) -> ICEServer {
        var server = ICEServer(urls: urls, username: "u", credential: "s")
        server.namedFrom = place
        return server
    }

    @Test(
        "A signaling server may not name ICE servers in a more private network than its own",
        arguments: [
            (.internet, ["turn:turn.example.org"]),
            (.privateNetwork, ["turn:10.0.0.1", "turn:turn.example.org"]),
            (.loopback, ["turn:127.0.0.1", "turn:10.0.0.1", "turn:turn.example.org"]),
        ] as [(HostReach, [String])]
    )
    func nearerHosts(place: HostReach, kept: [String]) {
        let urls = ["turn:127.0.0.1", "turn:10.0.0.1", "turn:turn.example.org"]
        let list = ICEServerList([Self.named(urls, from: place)])
        #expect(list.turn.map { "turn:\($0.url.host)" } == kept)
        #expect(list.complaints.count == urls.count - kept.count)
        #expect(list.complaints.allSatisfy { $0.contains("is ignored") && !$0.contains("u:s") })
        // The user may name any host.
        #expect(ICEServerList([ICEServer(urls: urls, username: "u", credential: "s")]).turn.count == 3)
    }

    @Test("A host name in a more private network, or one whose lookup is late, is ignored")
    func lookups() {
        let servers = [
            Self.named(
                ["stun:in.example.org", "turn:out.example.org", "turn:slow.example.org"],
                from: .internet
            )
        ]
        #expect(
            ICEServerList.names(in: servers) == ["in.example.org", "out.example.org", "slow.example.org"]
        )
        let list = ICEServerList(
            servers,
            lookups: [
                "in.example.org": .found(.loopback), "out.example.org": .found(.internet),
                "slow.example.org": .late,
            ]
        )
        #expect(list.stun == nil && list.turn.map(\.url.host) == ["out.example.org"])
        #expect(list.complaints.count == 2)
        #expect(ICEServerList.names(in: [Self.named(["turn:out.example.org"], from: .loopback)]).isEmpty)
        #expect(ICEServerList.names(in: [ICEServer(urls: ["turn:out.example.org"])]).isEmpty)
    }

    @Test("Only eight of the URLs that a signaling server names are used, with one warning")
    func manyNamed() {
        let urls = (0..<5).map { "stun:s\($0).example.org" } + (0..<1000).map { "turn:t\($0).example.org" }
        let list = ICEServerList([Self.named(urls, from: .internet), Self.named(urls, from: .internet)])
        #expect(list.turn.count == 3 && list.complaints.count == 1)
        #expect(list.complaints.first?.contains("8") == true)
        #expect(ICEServerList.names(in: [Self.named(urls, from: .internet)]).count == 8)
    }

    @Test("User and secret are percent-encoded, and TURN over TLS uses our loopback forwarder")
    func settingText() throws {
        let server = ICEServer(urls: ["turns:[::1]"], username: "1:u", credential: "a@b")
        let turn = try #require(ICEServerList([server]).turn.first)
        #expect(turn.settingText() == "turn://1%3Au:a%40b@[::1]:5349?transport=tcp")
        #expect(turn.settingText(through: "127.0.0.1:9") == "turn://1%3Au:a%40b@127.0.0.1:9?transport=tcp")
    }

    private static func interface(_ name: String, _ address: String) -> LocalAddresses.Interface {
        LocalAddresses.Interface(name: name, address: address, isLoopback: name == "lo")
    }

    private static let machine = [
        interface("lo", "127.0.0.1"), interface("lo", "::1"), interface("a", "192.0.2.1"),
        interface("a", "fe80::1"), interface("a", "2001:db8::1"), interface("b", "192.0.2.2"),
    ]

    @Test(
        "An interface, an address or an address family restricts the local addresses",
        arguments: [
            (LocalAddressRule(), nil), (LocalAddressRule(family: .ipv4), ["192.0.2.1", "192.0.2.2"]),
            (LocalAddressRule(family: .ipv6), ["2001:db8::1"]),
            (LocalAddressRule(interface: "a"), ["192.0.2.1", "2001:db8::1"]),
            (LocalAddressRule(interface: "lo"), ["127.0.0.1", "::1"]),
            (LocalAddressRule(interface: "2001:DB8::1"), ["2001:db8::1"]),
            (LocalAddressRule(interface: "b", family: .ipv6), []), (LocalAddressRule(interface: "c"), []),
        ] as [(LocalAddressRule, [String]?)]
    )
    func addresses(rule: LocalAddressRule, addresses: [String]?) {
        #expect(rule.addresses(among: Self.machine) == addresses)
    }

    @Test("A host whose other interfaces are virtual uses all its addresses, because libnice would use none")
    func virtualInterfaces() {
        let bridged = Self.machine.prefix(2) + [Self.interface("docker0", "172.17.0.1")]
        #expect(LocalAddressRule().addresses(among: Array(bridged)) == ["127.0.0.1", "::1", "172.17.0.1"])
        let online = bridged + [Self.interface("eth0", "192.0.2.1")]
        #expect(LocalAddressRule().addresses(among: Array(online)) == nil)
    }

    @Test("A host that has only loopback addresses uses them")
    func loopback() {
        let lonely = Array(Self.machine.prefix(2))
        #expect(LocalAddressRule().addresses(among: lonely) == ["127.0.0.1", "::1"])
        #expect(LocalAddressRule(family: .ipv6).addresses(among: lonely) == ["::1"])
        #expect(LocalAddressRule(family: .ipv6).isIPv6Only(among: lonely))
        #expect(!LocalAddressRule().isIPv6Only(among: Self.machine))
    }
}
