import Basics
import Testing

@Suite("Classification of hosts: loopback, private network, internet")
struct HostReachTests {
    @Test(
        "Loopback addresses in every notation, and the names of the local host, are classified as loopback",
        arguments: [
            "127.0.0.1", "127.255.255.255", "0.0.0.0", "0", "127.1", "0x7f000001", "2130706433", "0177.0.0.1",
            "::1", "::", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "::ffff:7f00:1", "64:ff9b::127.0.0.1",
            "2002:7f00:1::", "localhost", "LOCALHOST.", "a.localhost", "localhost.localdomain",
            "ip6-localhost", "x.%6cocalhost", "%6cocalhost",
        ]
    )
    func loopback(host: String) {
        #expect(HostReach(host: host) == .loopback)
    }

    @Test(
        "A malformed numeric address is never classified as a host on the internet",
        arguments: ["256", "1.2.3.999", "09.0.0.1", "1.2.3.4.5"]
    )
    func oddNumbers(host: String) {
        #expect(HostReach(host: host) == .loopback || HostReach(address: host) != nil)
        #expect(HostReach(host: host) < .internet)
    }

    @Test(
        "Private addresses, single-label names and local domains are in the private network",
        arguments: [
            "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
            "224.0.0.1", "255.255.255.255", "fc00::1", "fdff::1", "fe80::1", "ff02::1", "::ffff:10.0.0.1",
            "2002:c0a8:101::", "printer", "printer.local", "turn.internal", "nas.lan", "nas.home.arpa",
        ]
    )
    func privateNetwork(host: String) {
        #expect(HostReach(host: host) == .privateNetwork)
    }

    @Test(
        "Public addresses and names are on the internet",
        arguments: [
            "192.0.2.1", "172.32.0.1", "172.15.0.1", "100.128.0.1", "8.8.8.8", "2001:db8::1",
            "2606:4700::1111",
            "example.org", "turn.example.org.", "local.example.org", "::ffff:8.8.8.8",
        ]
    )
    func internet(host: String) {
        #expect(HostReach(host: host) == .internet)
    }

    @Test(
        "Text that is not a literal IP address is refused where an address is expected",
        arguments: [
            "", "example.org", ":", ":::", "1:2:3", "1::2::3", "12345::", "g::", "::1.2.3",
            "1:2:3:4:5:6:7:8:9",
        ]
    )
    func noAddress(text: String) {
        #expect(HostReach(address: text) == nil)
    }
}
