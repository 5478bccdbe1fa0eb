import GLibKit
import Synchronization
import Testing

@testable import GStreamerKit

@Suite("RTP header extensions", .timeLimit(.minutes(4)))
@MediaActor
struct HeaderExtensionWriterTests {
    /// A pipeline that produces the RTP packets of two frames, some of them in buffer lists.
    private static let packets =
        "videotestsrc num-buffers=2 ! video/x-raw,width=320,height=240 ! vp8enc deadline=1 "
        + "! rtpvp8pay name=payloader mtu=200 ! appsink name=out sync=false"

    private func written(_ header: HeaderExtensionWriter?) async throws -> [[UInt8]] {
        let pipeline = try Pipeline(parsing: Self.packets, name: "packets")
        let pad = try #require(pipeline.element(named: "payloader")?.pad("src"))
        if let header { pad.write(header) }
        let hub = AppSink(try #require(pipeline.element(named: "out"))).hub
        let collected = Collected()
        _ = hub.attach { sample in
            collected.packets.withLock { $0.append(sample.withBytes { Array($0) } ?? []) }
        }
        try pipeline.setState(.playing)
        _ = await pipeline.messages.collect { $0 == .endOfStream }
        return collected.packets.withLock { $0 }
    }

    private final class Collected: Sendable {
        let packets = Mutex<[[UInt8]]>([])
    }

    @Test("Each packet, single or in a buffer list, has the 3-byte value in a one-byte header extension")
    func each() async throws {
        let packets = try await written(HeaderExtensionWriter(id: 6) { 0x01EFFF })
        #expect(packets.count > 2)
        for packet in packets {
            #expect(packet[0] & 0x10 == 0x10)
            #expect(packet[12..<20] == [0xBE, 0xDE, 0, 1, 0x62, 0x01, 0xEF, 0xFF])
        }
    }

    @Test("No extension is written without a value")
    func nothing() async throws {
        let packets = try await written(HeaderExtensionWriter(id: 6) { nil })
        #expect(packets.count > 2)
        #expect(packets.allSatisfy { $0[0] & 0x10 == 0 })
    }

    @Test("An ID that a one-byte header cannot contain is refused", arguments: [-1, 0, 15, 300])
    func identifiers(_ id: Int) {
        let header = HeaderExtensionWriter(id: id) { 1 }
        #expect(header == nil)
    }
}
