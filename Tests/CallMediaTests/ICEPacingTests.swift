import CallCore
import GStreamerKit
import Testing

@testable import CallMedia

@Suite("Interval of ICE connectivity checks")
@MediaActor
struct ICEPacingTests {
    private final class Session {}

    private static func peer(_ pacing: String?) throws -> SessionDescription {
        let line = pacing.map { "a=ice-pacing:\($0)\r\n" } ?? ""
        return try SessionDescription(parsing: "v=0\r\n\(line)m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n")
    }

    @Test(
        "The longer of the two proposed intervals is used, up to 20 ms; if the peer proposes none, 20 ms",
        arguments: [
            ("5", 5), ("0", 5), ("12", 12), ("20", 20), ("50", 20), (nil, 20), ("-5", 20), ("x", 20),
            ("99999999999", 20), ("9999999999", 20),
        ] as [(String?, Int)]
    )
    func agreed(_ proposed: String?, _ pace: Int) throws {
        #expect(ICEPacing().agree(with: try Self.peer(proposed), for: Session()) == pace)
    }

    @Test("Sessions that connect at the same time share the rate of connectivity checks")
    func takingTurns() throws {
        let (pacing, peer) = (ICEPacing(), try Self.peer("5"))
        let sessions = (0..<5).map { _ in Session() }
        pacing.expect(sessions[0])
        #expect(pacing.agree(with: peer, for: sessions[1]) == 10)
        #expect(pacing.agree(with: peer, for: sessions[0]) == 10)
        #expect(pacing.agree(with: peer, for: sessions[0]) == 10)
        #expect(pacing.agree(with: peer, for: sessions[2]) == 20)
        pacing.release(sessions[0])
        pacing.release(sessions[1])
        #expect(pacing.agree(with: peer, for: sessions[3]) == 10)
        pacing.release(sessions[2])
        pacing.release(sessions[3])
        #expect(pacing.agree(with: peer, for: sessions[4]) == 5)
    }

    @Test("The checks of four sessions together are at least 5 ms apart")
    func together() throws {
        let (pacing, peer) = (ICEPacing(), try Self.peer("5"))
        let sessions = (0..<4).map { _ in Session() }
        for session in sessions { pacing.expect(session) }
        #expect(sessions.map { pacing.agree(with: peer, for: $0) } == [20, 20, 20, 20])
        pacing.release(sessions[3])
        pacing.expect(sessions[0])
        #expect(pacing.agree(with: peer, for: sessions[0]) == 15)
    }

    @Test("If a session uses the whole rate of connectivity checks, another one gets the default interval")
    func late() throws {
        let (pacing, first, second) = (ICEPacing(), Session(), Session())
        let peer = try Self.peer("5")
        #expect(pacing.agree(with: peer, for: first) == 5)
        #expect(pacing.agree(with: peer, for: second) == 20)
        pacing.release(first)
        #expect(pacing.agree(with: peer, for: second) == 5)
    }

    @Test("Our session descriptions have one ice-pacing attribute of 5 ms, at session level")
    func proposed() throws {
        let text = "v=0\r\ns=-\r\nm=audio 9 X 0\r\na=mid:0\r\nm=video 9 X 96\r\n"
        let extended = ICEPacing.proposing(in: text)
        #expect(extended == text.replacing("s=-\r\n", with: "s=-\r\na=ice-pacing:5\r\n"))
        #expect(try SessionDescription(parsing: extended).icePacing == 5)
    }

    @Test("An ice-pacing attribute inside a media section is ignored")
    func inSection() throws {
        let text = "v=0\r\nm=audio 9 X 0\r\na=ice-pacing:5\r\n"
        #expect(try SessionDescription(parsing: text).icePacing == nil)
    }
}
