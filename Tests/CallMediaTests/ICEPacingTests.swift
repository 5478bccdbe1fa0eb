import CallCore
import GStreamerKit
import Testing

@testable import CallMedia

@Suite("Interval of connectivity checks")
@MediaActor
struct ICEPacingTests {
    private final class Session {}

    private static func peer(_ pacing: String?) throws -> SessionDescription {
        let line = pacing.map { "a=ice-pacing:\($0)\r\n" } ?? ""
        return try SessionDescription(parsing: "v=0\r\n\(line)m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n")
    }

    @Test(
        "The slower proposal wins, and the interval is 20 ms without a proposal",
        arguments: [
            ("5", 5), ("0", 5), ("12", 12), ("20", 20), ("50", 20), (nil, 20), ("-5", 20), ("x", 20),
            ("99999999999", 20), ("9999999999", 20),
        ] as [(String?, Int)]
    )
    func agreed(_ proposed: String?, _ pace: Int) throws {
        #expect(ICEPacing().agree(with: try Self.peer(proposed), for: Session()) == pace)
    }

    @Test("Only one session at a time uses a shorter interval")
    func oneAtATime() throws {
        let (pacing, first, second) = (ICEPacing(), Session(), Session())
        let peer = try Self.peer("5")
        #expect(pacing.agree(with: peer, for: first) == 5)
        #expect(pacing.agree(with: peer, for: second) == 20)
        #expect(pacing.agree(with: peer, for: first) == 5)
        pacing.release(second)
        #expect(pacing.agree(with: peer, for: second) == 20)
        pacing.release(first)
        #expect(pacing.agree(with: peer, for: second) == 5)
    }

    @Test("Our session descriptions propose 5 ms once, at session level")
    func proposed() throws {
        let text = "v=0\r\ns=-\r\nm=audio 9 X 0\r\na=mid:0\r\nm=video 9 X 96\r\n"
        let told = ICEPacing.proposing(in: text)
        #expect(told == text.replacing("s=-\r\n", with: "s=-\r\na=ice-pacing:5\r\n"))
        #expect(try SessionDescription(parsing: told).icePacing == 5)
    }

    @Test("A proposal inside a section is ignored")
    func inSection() throws {
        let text = "v=0\r\nm=audio 9 X 0\r\na=ice-pacing:5\r\n"
        #expect(try SessionDescription(parsing: text).icePacing == nil)
    }
}
