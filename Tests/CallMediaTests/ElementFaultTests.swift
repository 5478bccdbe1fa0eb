import Foundation
import GStreamerKit
import Testing

@testable import CallMedia

@Suite("What an element's error means", .timeLimit(.minutes(1)))
struct ElementFaultTests {
    @Test(
        "A packet that a depayloader cannot read is told as an error, and ends neither the stream nor the call"
    )
    @MediaActor
    func packet() async throws {
        let folder = try TemporaryFolder()
        // A length (RFC 4571), and RTP with a NAL unit of type 26, of several times, which rtph264depay does not know.
        let packet: [UInt8] = [0, 16, 0x80, 0xE0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0x3A, 0, 1, 2]
        try Data(packet).write(to: URL(fileURLWithPath: folder.path("packet")))
        let caps = "application/x-rtp-stream,media=video,clock-rate=90000,encoding-name=H264,payload=96"
        let pipeline = try Pipeline(
            parsing:
                "multifilesrc location=\(folder.path("packet")) loop=true num-buffers=3 caps=\"\(caps)\" "
                + "! rtpstreamdepay ! rtph264depay ! fakesink async=false",
            name: "packets"
        )
        try pipeline.setState(.playing)
        var faults: [ElementFault: [String]] = [:]
        for await message in pipeline.messages {
            if case .error(let element, _, let debug) = message {
                faults[ElementFault(element: element), default: []].append("\(element): \(debug)")
            }
            if message == .endOfStream { break }
        }
        #expect(faults[.packet]?.isEmpty == false)
        #expect(faults[.pipeline] == nil)
    }

    @Test(
        "Depayloaders, DTLS and everything else are told apart by name",
        arguments: [
            ("rtph264depay12", ElementFault.packet), ("rtpopusdepay0", .packet), ("rtpvp8depay", .packet),
            ("dtlsdec3", .encryption), ("dtlsenc0", .encryption), ("rtph264pay0", .pipeline),
            ("h264parse0", .pipeline), ("nicesrc0", .pipeline), ("dtlssrtpdemux1", .pipeline),
            ("", .pipeline),
            ("7", .pipeline),
        ]
    )
    func names(element: String, fault: ElementFault) { #expect(ElementFault(element: element) == fault) }
}
