import CallCore
import GStreamerKit
import Testing

@testable import CallMedia

extension RealTime {
    @Suite("Limits of candidates", .timeLimit(.minutes(4)))
    @MediaActor
    struct CandidateLimitTests {
        /// Returns the offer with these lines in each section.
        private static func adding(_ lines: [String], to offer: String) -> String {
            SessionDescription.lines(of: offer).map { line in
                (line.hasPrefix("a=mid:") ? [String(line)] + lines : [String(line)]).joined(separator: "\r\n")
            }.joined(separator: "\r\n")
        }

        @Test("Candidates in offers and in messages share one limit, and repeated candidates count once")
        func names() async throws {
            let (caller, callee) = (try Endpoint(), try Endpoint())
            let ours = try await caller.media.makeSession(role: .caller, iceServers: [])
            let theirs = try await callee.media.makeSession(role: .callee, iceServers: [])
            let live = try #require(theirs as? LiveMediaSession)
            let offer = try await ours.createOffer()
            let names = (0..<10).map { "a=candidate:\($0) 1 udp 1 x\($0).local 9 typ host" }
            for _ in 0..<2 {
                _ = try await theirs.createAnswer(to: Self.adding(names, to: offer))
                #expect(live.namedCandidates == 10 && live.remoteCandidates.count == 10)
            }
            let others = (0..<300).map { "a=candidate:\($0) 1 udp 1 y\($0).local 9 typ host" }
            _ = try await theirs.createAnswer(to: Self.adding(others, to: offer))
            #expect(live.namedCandidates == 16 && live.remoteCandidates.count == 256)
            await theirs.add(
                ICECandidate(candidate: "candidate:1 1 udp 1 z.local 9 typ host", sdpMLineIndex: 0)
            )
            #expect(live.namedCandidates == 16 && live.remoteCandidates.count == 256)
            await ours.close()
            await theirs.close()
            await caller.media.finish()
            await callee.media.finish()
        }

        @Test(
            "Spellings of the same transport address are equal, and names other than mDNS names are ignored"
        )
        func addresses() {
            func address(_ text: String, _ port: String = "9", _ type: String = "host") -> String? {
                CandidateFilter.transportAddress(of: "candidate:1 1 UDP 1 \(text) \(port) typ \(type)")
            }
            #expect(address("10.0.0.1") != nil && address("10.0.0.1") == address("10.0.0.1", "009", "relay"))
            #expect(
                address("10.0.0.1") != address("10.0.0.1", "10") && address("10.0.0.1") != address("10.0.0.2")
            )
            #expect(address("fd00::1") != nil && address("fd00::1") == address("FD00:0:0::1", "9", "srflx"))
            #expect(address("a.local") != nil && address("a.local", "9", "srflx") == nil)
            for text in ["10.1", "0x0a.0.0.1", "example.org", "fe80::1%eth0", ""] {
                #expect(address(text) == nil)
            }
            #expect(address("10.0.0.1", "65536") == nil && address("10.0.0.1", "-1") == nil)
        }
    }
}
