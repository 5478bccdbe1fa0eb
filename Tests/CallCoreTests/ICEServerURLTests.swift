import CallCore
import Testing

@Suite("URLs of STUN and TURN servers")
struct ICEServerURLTests {
    @Test(
        "Host, port and transport are parsed, with the defaults of RFC 7064 and RFC 7065",
        arguments: [
            ("stun:h", "h", 3478, ICEServerURL.Transport.udp), ("STUN://h:1", "h", 1, .udp),
            ("turn:h", "h", 3478, .udp), ("turn:192.0.2.1:9?transport=udp", "192.0.2.1", 9, .udp),
            ("turn:h?transport=tcp", "h", 3478, .tcp), ("turn:[2001:db8::1]:9", "2001:db8::1", 9, .udp),
            ("turns:h", "h", 5349, .tls), ("turns:[::1]?transport=tcp", "::1", 5349, .tls),
        ]
    )
    func parts(text: String, host: String, port: Int, transport: ICEServerURL.Transport) throws {
        let url = try #require(ICEServerURL(text))
        #expect((url.host, url.port, url.transport) == (host, port, transport))
        #expect(ICEServerURL("\(url)") == url)
    }

    @Test(
        "A malformed URL is rejected",
        arguments: [
            "", "stun:", "stun:h:0", "stun:h:65536", "stun:h:", "stun:h?transport=udp", "http://h",
            "turn:h h",
            "turns:h?transport=udp", "turn:h?transport=sctp", "turn:2001:db8::1", "turn:[::1", "turn:[h]",
            "turn:u:s@h", "turn:h/path", "stun:h\n", "turn:" + String(repeating: "a", count: 400),
        ]
    )
    func malformed(text: String) { #expect(ICEServerURL(text) == nil) }
}
