import CGStreamer
import Synchronization
import Testing

@testable import GStreamerKit

@Suite("Callbacks for RTCP sender reports", .timeLimit(.minutes(4)))
@MediaActor
struct SenderReportTests {
    private static let senderReport: [UInt8] = [0x80, 200, 0, 1, 0, 0, 0, 1]
    private static let receiverReport: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 1]

    /// Counts the calls of a handler that waits for three sender reports or thirty other packets.
    private func reportsReceived(_ packets: [[UInt8]]) async throws -> Int {
        let pipeline = try Pipeline(
            parsing: "appsrc name=in ! fakesink name=out async=false",
            name: "reports"
        )
        let count = Mutex(0)
        let pad = try #require(pipeline.element(named: "out")?.pad("sink"))
        pad.onSenderReports(3) { count.withLock { $0 += 1 } }
        try pipeline.setState(.playing)
        let input = AppSource(try #require(pipeline.element(named: "in")))
        for packet in packets { input.push(try SampleTests.sample(bytes: packet)) }
        input.endOfStream()
        _ = await pipeline.messages.collect { $0 == .endOfStream }
        try pipeline.setState(.null)
        return count.withLock { $0 }
    }

    @Test("The handler is called once, at the third sender report")
    func third() async throws {
        let reports = [[UInt8]](repeating: Self.senderReport, count: 7)
        #expect(try await reportsReceived([Self.receiverReport] + reports) == 1)
        #expect(try await reportsReceived([[UInt8]](reports.prefix(2))) == 0)
    }

    @Test("Without sender reports, the handler is called at the 30th RTCP packet")
    func none() async throws {
        #expect(try await reportsReceived([[UInt8]](repeating: Self.receiverReport, count: 29)) == 0)
        #expect(try await reportsReceived([[UInt8]](repeating: Self.receiverReport, count: 30)) == 1)
    }
}
