import Testing

@testable import GStreamerKit

@Suite("What RTCP packets hold")
struct RTCPPacketTests {
    private static let report: [UInt8] = [0x80, 201, 0, 1, 1, 2, 3, 4]
    private static let goodbye: [UInt8] = [0x81, 203, 0, 1, 1, 2, 3, 4]

    @Test(
        "A BYE is found wherever it stands",
        arguments: [goodbye, report + goodbye, report + report + goodbye]
    )
    func found(_ bytes: [UInt8]) {
        #expect(RTCPPacket.saysGoodbye(bytes))
    }

    @Test(
        "Nothing else is taken for one, whatever lengths it claims",
        arguments: [[], [0x81], report, report + [0x81, 203, 0], [0x80, 201, 0xFF, 0xFF] + goodbye]
    )
    func other(_ bytes: [UInt8]) {
        #expect(!RTCPPacket.saysGoodbye(bytes))
    }
}
