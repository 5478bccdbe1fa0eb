import CallCore
import Testing

@testable import callrunner

@Suite("Parsing of setting values")
struct SettingTextTests {
    @Test("A bit rate setting is parsed as minimum, start and maximum")
    func bitrates() throws {
        let bitrates = try Bitrates("300k:1500000:4M")
        #expect((bitrates.minimum, bitrates.start, bitrates.maximum) == (300_000, 1_500_000, 4_000_000))
    }

    @Test(
        "Invalid bit rates are rejected",
        arguments: [
            "", "1M", "1M:2M", "1M:2M:3M:4M", "::", "2M:1M:3M", "1M:3M:2M", "1:2:3", "1M:2M:1000M",
            "-1M:2M:3M",
            "a:b:c", "99999999999999999999:1:2", "1.5M:2M:3M", "k:k:k",
        ]
    )
    func badBitrates(text: String) {
        #expect(throws: SettingText.Problem.self) { try Bitrates(text) }
    }

    @Test(
        "STUN URLs are parsed as in RFC 7064",
        arguments: ["stun:stun.example.org", "stun:10.0.0.1:3478", "STUN://[2001:db8::1]:3478", "stun:[::1]"]
    )
    func stun(text: String) throws {
        let server = try ICEServerText.stun(text)
        #expect(server.urls.allSatisfy { $0.hasPrefix("stun:") && !$0.contains("//") })
    }

    @Test("In a TURN setting the last @ ends the secret, and the first colon ends the username")
    func turn() throws {
        let server = try ICEServerText.turn("turn:ann:se:cr@t@relay.example.org:3478?transport=tcp")
        #expect(server.username == "ann")
        #expect(server.credential == "se:cr@t")
        #expect(server.urls == ["turn:relay.example.org:3478?transport=tcp"])
    }

    @Test(
        "Invalid STUN and TURN servers are rejected",
        arguments: [
            "", "stun", "stun:", "stun:a b", "stun:host:0", "stun:host:70000", "stun:host:port", "turn:host",
            "turn:user@host", "turns:user@host", "http://host", "turn:user:secret@",
            "turn:user:secret@host?transport=carrier-pigeon", "turn:user:secret@host?transport=udp?x",
            "stun:2001:db8::1", "stun:host\n",
        ]
    )
    func badServers(text: String) {
        #expect(throws: SettingText.Problem.self) { try ICEServerText.stun(text) }
        #expect(throws: SettingText.Problem.self) { try ICEServerText.turn(text) }
    }

    @Test("The message about an invalid TURN server omits its secret")
    func secret() {
        let problem = #expect(throws: SettingText.Problem.self) { try ICEServerText.turn("turn:ann:hush@") }
        #expect(problem?.description.contains("hush") == false)
    }

    @Test("A Boolean is parsed from 1, true, yes or on, and from 0, false, no or off")
    func truths() throws {
        for text in ["1", "true", "YES", "on"] { #expect(try SettingText.truth(text)) }
        for text in ["0", "False", "no", "off"] { #expect(try !SettingText.truth(text)) }
        #expect(throws: SettingText.Problem.self) { try SettingText.truth("maybe") }
    }

    @Test(
        "Invalid server URLs are rejected",
        arguments: [
            "http://", "ftp://host", "localhost:3000", "http://a b", "", "http://a:99999", "http://[::1",
            "http://ann:hush@host",
        ]
    )
    func serverURLs(text: String) {
        #expect(throws: SettingText.Problem.self) { try SettingText.serverURL(text) }
    }

    @Test("Only whole numbers in the range are accepted")
    func numbers() throws {
        let port = SettingText.number(in: 0...65_535)
        #expect(try port("3000") == 3000)
        for text in ["", "-1", "65536", "1.5", "0x10", "99999999999999999999"] {
            #expect(throws: SettingText.Problem.self) { try port(text) }
        }
    }
}
