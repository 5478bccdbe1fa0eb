import Basics
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Fault profiles")
struct ChaosProfileTests {
    @Test("Each predefined profile injects at least one fault", arguments: ChaosName.allCases)
    func names(name: ChaosName) throws {
        let profile = try ChaosProfile(name.rawValue)
        #expect(profile.text == name.rawValue)
        let quiet = ChaosProfile(text: name.rawValue)
        #expect(profile != quiet)
    }

    @Test("A probability after the profile's name replaces the default")
    func chance() throws {
        let profile = try ChaosProfile("lossy:0.5")
        #expect(profile.text == "lossy:0.5")
        #expect(profile.faults[.offer]?.drop == 0.5)
        #expect(profile.faults[.userJoined] == nil)
    }

    @Test(
        "An unknown profile is rejected with a list of the known profiles",
        arguments: ["", "lossey", ":", ":1", "LOSSY", "lossy ", String(repeating: "x", count: 10_000)]
    )
    func unknown(text: String) {
        do throws(ChaosProfileError) {
            _ = try ChaosProfile(text)
            Issue.record("accepted")
        } catch {
            for name in ChaosName.allCases { #expect("\(error)".contains(name.rawValue)) }
            #expect("\(error)".count < 400)
        }
    }

    @Test(
        "A profile with an invalid probability is rejected",
        arguments: ["lossy:", "lossy:2", "lossy:-0.1", "lossy:nan", "lossy:inf", "lossy:x", "lossy:0.1:0.2"]
    )
    func badChance(text: String) { #expect(throws: ChaosProfileError.self) { try ChaosProfile(text) } }

    @Test(
        "Garbling changes only the arguments of an event, and the packet can still be decoded",
        arguments: [
            SocketPacket.event("offer", [["type": "offer", "sdp": "v=0\r\na=ice-ufrag:\u{1F600}\r\n"]]),
            .event("candidate", [["candidate": "candidate:1 1 udp 1 ::1 9", "sdpMLineIndex": 0]], ackID: 3),
            .event("hangup"), .event("text", ["é"]), .event("list", [[1, 2], 3]), .event("empty", [[:]]),
        ]
    )
    func garbling(packet: SocketPacket) throws {
        for seed in UInt64(0)..<500 {
            var random = FaultRandom(seed: seed)
            let (garbled, detail) = Garbling.garbled(packet, &random)
            #expect(garbled.eventName == packet.eventName)
            #expect(garbled.ackID == packet.ackID)
            #expect(!detail.isEmpty)
            var decoder = SocketDecoder()
            #expect(
                try decoder.decode(text: SocketEncoder.encode(garbled).text)?.eventName == packet.eventName
            )
        }
    }
}
