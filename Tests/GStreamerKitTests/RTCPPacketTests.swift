import Testing

@testable import GStreamerKit

@Suite("RTCP packets")
struct RTCPPacketTests {
    private static let report: [UInt8] = [0x80, 201, 0, 1, 1, 2, 3, 4]
    private static let goodbye: [UInt8] = [0x81, 203, 0, 1, 1, 2, 3, 4]

    @Test(
        "A BYE is found at any position in a compound packet",
        arguments: [goodbye, report + goodbye, report + report + goodbye]
    )
    func found(_ bytes: [UInt8]) {
        #expect(RTCPPacket.containsBye(bytes))
    }

    @Test("The sender SSRCs of all reports are read, up to a packet whose header gives a wrong length")
    func senders() {
        let other: [UInt8] = [0x81, 200, 0, 2, 9, 9, 9, 9, 0, 0, 0, 0]
        #expect(RTCPPacket.sources(Self.report + Self.goodbye + other) == [0x0102_0304, 0x0909_0909])
        #expect(RTCPPacket.sources([0x80, 201, 0xFF, 0xFF, 0, 0, 0, 1] + Self.report) == [1])
        #expect(RTCPPacket.sources([0x80, 201, 0, 0, 1, 2]).isEmpty)
    }

    @Test("The SSRCs of all SDES chunks are read, even if the length of an item is wrong")
    func described() {
        let name: [UInt8] = [1, 3, 97, 98, 99, 0, 0, 0]
        let chunks: [UInt8] = [0, 0, 0, 7] + name + [0, 0, 0, 8, 0, 0, 0, 0] + [0, 0, 0, 9, 1, 200, 97, 98]
        let description: [UInt8] = [0x83, 202, 0, 7] + chunks
        #expect(RTCPPacket.sources(Self.report + description) == [0x0102_0304, 7, 8, 9])
        // No more than the stated number of chunks is read.
        #expect(RTCPPacket.sources([0x82, 202, 0, 7] + chunks) == [7, 8])
        #expect(RTCPPacket.sources([0x9F, 202, 0, 1, 0, 0, 0, 7] + Self.report) == [7, 0x0102_0304])
        #expect(RTCPPacket.sources([0x9F, 202, 0xFF, 0xFF, 0, 0, 0, 7, 1]) == [7])
        #expect(RTCPPacket.sources([0x80, 202, 0, 0]).isEmpty)
    }

    @Test(
        "Canonical names are not read from packets with private items, duplicate names or truncated items"
    )
    func names() {
        func description(_ items: [UInt8], chunks: UInt8 = 1) -> [UInt8] {
            let content = [0, 0, 0, 7] + items + [UInt8](repeating: 0, count: 4 - items.count % 4)
            return [0x80 | chunks, 202, 0, UInt8(content.count / 4)] + content
        }
        let (name, tool): ([UInt8], [UInt8]) = ([1, 2, 97, 98], [6, 3, 71, 83, 116])
        #expect(RTCPPacket.canonicalNames(Self.report) == [])
        #expect(RTCPPacket.canonicalNames(Self.report + description(name + tool)) == [[97, 98]])
        #expect(RTCPPacket.canonicalNames(description(tool)) == [])
        #expect(RTCPPacket.canonicalNames(description(name + [8, 5, 4, 120, 120, 120, 120])) == nil)
        #expect(RTCPPacket.canonicalNames(description(name + name)) == nil)
        #expect(RTCPPacket.canonicalNames(description(name + [6, 200, 97])) == nil)
        #expect(RTCPPacket.canonicalNames(description(name, chunks: 2)) == nil)
        #expect(RTCPPacket.canonicalNames([0x81, 202, 0, 2, 0, 0, 0, 7, 1, 2, 97, 98]) == [[97, 98]])
        #expect(RTCPPacket.canonicalNames([0x81, 202, 0, 2, 0, 0, 0, 7, 1, 3, 97, 98]) == nil)
    }

    @Test("At most 64 different canonical names are admitted, each any number of times")
    func limitOfNames() {
        var limit = DescriptionLimit()
        func admits(_ number: UInt8) -> Bool {
            limit.admits([0x81, 202, 0, 3, 0, 0, 0, 7, 1, 1, number, 0, 0, 0, 0, 0])
        }
        let admitted = (UInt8(1)...100).filter { admits($0) }
        #expect(admitted == Array(1...64))
        let again = (UInt8(1)...100).filter { admits($0) }
        #expect(again == Array(1...64))
    }

    @Test(
        "No BYE is found in other packets, even if the length in a packet header is wrong",
        arguments: [[], [0x81], report, report + [0x81, 203, 0], [0x80, 201, 0xFF, 0xFF] + goodbye]
    )
    func other(_ bytes: [UInt8]) {
        #expect(!RTCPPacket.containsBye(bytes))
    }

    @Test("Transport layer feedback other than NACKs and transport-wide reports is detected")
    func feedback() {
        for format in 0...31 as ClosedRange<UInt8> {
            let feedback: [UInt8] = [0x80 | format, 205, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8]
            #expect(RTCPPacket.containsForeignFeedback(Self.report + feedback) == ![1, 15].contains(format))
            #expect(
                !RTCPPacket.containsForeignFeedback(
                    Self.report + [0x80 | format, 206] + feedback.dropFirst(2)
                )
            )
        }
    }

    @Test("Each packet of a NACK and each keyframe request counts as a request")
    func requests() {
        let nack: [UInt8] = [0x81, 205, 0, 4, 1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 0xFF, 0xFF, 0, 40, 0x01, 0x80]
        #expect(RTCPPacket.requests(Self.report) == 0)
        #expect(RTCPPacket.requests(Self.report + nack) == 17 + 3)
        let picture: [UInt8] = [0x81, 206, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8]
        #expect(RTCPPacket.requests(Self.report + nack + picture) == 21)
        let full: [UInt8] = [0x84, 206, 0, 6] + [UInt8](repeating: 0, count: 24)
        #expect(RTCPPacket.requests(full) == 2)
        // A report about 65,535 packets.
        let arrivals: [UInt8] = [0x8F, 205, 0, 4, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0]
        #expect(RTCPPacket.requests(arrivals + picture) == 1 + 2047 + 1)
        // A wrong length counts those that are there.
        #expect(RTCPPacket.requests([0x81, 205, 0xFF, 0xFF] + nack.dropFirst(4)) == 20)
        #expect(RTCPPacket.requests([0x81, 205, 0, 0] + nack.dropFirst(4)) == 0)
    }

    @Test("A sender report is distinguished from a receiver report")
    func reports() {
        #expect(RTCPPacket.isSenderReport([0x81, 200, 0, 6]))
        for other in [[], [200], [0x81, 201, 0, 1]] as [[UInt8]] {
            #expect(!RTCPPacket.isSenderReport(other))
        }
    }
}
