import Foundation
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Errors of GStreamer elements", .timeLimit(.minutes(4)))
struct ElementFaultTests {
    @Test(
        "A packet that a depayloader cannot read is reported as a packet error"
    )
    @MediaActor
    func packet() async throws {
        let folder = try TemporaryFolder()
        // A length (RFC 4571), and an RTP packet with a NAL unit of type 26, which rtph264depay does not
        // support.
        let packet: [UInt8] = [0, 16, 0x80, 0xE0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0x3A, 0, 1, 2]
        try Data(packet).write(to: URL(fileURLWithPath: folder.path("packet")))
        let caps = "application/x-rtp-stream,media=video,clock-rate=90000,encoding-name=H264,payload=96"
        let pipeline = try Pipeline(
            parsing:
                "multifilesrc location=\(folder.path("packet")) loop=true num-buffers=3 caps=\"\(caps)\" "
                + "! rtpstreamdepay ! \(Project.library.description("depayloaders/h264"))",
            name: "packets"
        )
        try pipeline.setState(.playing)
        var faults: [ElementFault: [String]] = [:]
        for await message in pipeline.messages {
            if case .error(let element, let factory, _, let debug) = message {
                faults[ElementFault(factory: factory), default: []].append("\(element): \(debug)")
                break
            }
            if message == .endOfStream { break }
        }
        #expect(faults[.packet]?.isEmpty == false)
        #expect(faults[.pipeline] == nil)
    }

    @Test(
        "Errors of the depayloader in every pipeline template count as packet errors",
        arguments: Project.library.names.filter { $0.hasPrefix("depayloaders/") }
    )
    @MediaActor
    func depayloader(_ name: String) async throws {
        // Every depayloader reports an error for a packet without a known format.
        let pipeline = try Pipeline(
            parsing:
                "fakesrc num-buffers=1 format=time sizetype=fixed sizemax=20 ! \(Project.library.description(name))",
            name: "formless"
        )
        try pipeline.setState(.playing)
        var first: (fault: ElementFault, text: String)?
        for await message in pipeline.messages {
            if case .error(let element, let factory, let text, let debug) = message {
                first = (ElementFault(factory: factory), "\(element), \(factory): \(text) \(debug)")
            }
            if first != nil || message == .endOfStream { break }
        }
        #expect(first?.fault == .packet, "\(first?.text ?? "no error")")
    }

    @Test(
        "Depayloaders, DTLS elements and others are distinguished by factory name",
        arguments: [
            ("rtph264depay", ElementFault.packet), ("rtpopusdepay", .packet), ("rtpvp8depay", .packet),
            ("dtlsdec", .encryption), ("dtlsenc", .encryption), ("rtph264pay", .pipeline),
            ("h264parse", .pipeline), ("nicesrc", .pipeline), ("dtlssrtpdemux", .pipeline),
            ("", .pipeline),
            ("depayloader", .pipeline),
        ]
    )
    func names(factory: String, fault: ElementFault) { #expect(ElementFault(factory: factory) == fault) }
}
