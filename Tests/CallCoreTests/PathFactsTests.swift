import CallCore
import Testing

@Suite("Counts of ICE candidates in a call's summary")
struct PathFactsTests {
    private static func candidate(_ address: String, _ type: String) -> ICECandidate {
        ICECandidate(candidate: "candidate:1 1 UDP 2015363327 \(address) 45053 typ \(type)", sdpMid: "0")
    }

    @Test("Candidates of both sides are counted by type, including those inside an SDP description")
    func counts() throws {
        var driver = CallDriver(.caller, .dial(CallDriver.bob))
        for type in ["host", "host", "srflx", "relay"] {
            driver.handle(.attempt(.media(.localCandidate(Self.candidate("192.0.2.1", type)))))
        }
        driver.attempt(.offering, .awaitingAnswer)
        let answer =
            "v=0\r\na=ice-ufrag:x\r\na=candidate:1 1 UDP 1 a-b.local 9 typ host\r\na=candidate:bad\r\n"
        driver.hear(.message(.answer(.init(answer), offerID: nil)))
        driver.hear(.message(.candidate(Self.candidate("198.51.100.7", "prflx"))))
        driver.hear(.message(.candidate(ICECandidate(candidate: ""))))
        driver.handle(.command(.hangUp))
        driver.attemptEnds()
        let path = try #require(driver.summary?.path)
        #expect((path.local.host, path.local.reflexive, path.local.relay) == (2, 1, 1))
        #expect((path.remote.named, path.remote.reflexive, path.remote.count) == (1, 1, 2))
        #expect(
            "\(path)"
                == "local: 2 host and 1 server-reflexive and 1 relayed candidates; "
                + "remote: 1 mDNS-named and 1 server-reflexive candidates"
        )
    }

    @Test("Each attempt counts its own candidates, including those of its offer")
    func attempts() throws {
        var driver = try CallDriver.callee()
        driver.hear(.message(.candidate(Self.candidate("192.0.2.1", "host"))))
        driver.attempt(.answering)
        driver.attemptEnds(.timedOut(.description))
        let sdp = CallDriver.sdp("two") + "a=candidate:1 1 UDP 1 192.0.2.9 9 typ relay\n"
        driver.hear(.message(.offer(.init(sdp))))
        driver.handle(.attempt(.media(.iceConnected)))
        driver.handle(.command(.hangUp))
        driver.attemptEnds()
        let path = try #require(driver.summary?.path)
        #expect("\(path)" == "local: no candidates; remote: 1 relayed candidate")
        #expect(path.hasPath && !path.wasConnected)
    }
}
