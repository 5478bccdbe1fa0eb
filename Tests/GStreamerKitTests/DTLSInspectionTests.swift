import Testing

@testable import GStreamerKit

@Suite("What is looked for in DTLS packets")
struct DTLSInspectionTests {
    // MARK: Packets as peers write them

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func record(_ content: [UInt8], type: UInt8 = 22, epoch: Int = 0) -> [UInt8] {
        [type, 254, 253] + number(epoch, 2) + number(0, 6) + number(content.count, 2) + content
    }

    /// The part `range` of a message, or all of it.
    private static func message(
        _ body: [UInt8],
        type: UInt8 = 11,
        sequence: Int = 2,
        _ range: Range<Int>? = nil
    ) -> [UInt8] {
        let part = Array(body[range ?? 0..<body.count])
        return [type] + number(body.count, 3) + number(sequence, 2) + number(range?.lowerBound ?? 0, 3)
            + number(part.count, 3) + part
    }

    private static func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        switch content.count {
        case 0..<0x80: [tag, UInt8(content.count)] + content
        case 0x80...0xFF: [tag, 0x81] + number(content.count, 1) + content
        default: [tag, 0x82] + number(content.count, 2) + content
        }
    }

    private static func certificate(subject: Int, version: Bool = true) -> [UInt8] {
        let empty = der(0x30, [])
        let fields =
            (version ? der(0xA0, der(0x02, [2])) : []) + der(0x02, [1]) + empty + empty + empty
            + der(0x30, Array(repeating: 0x31, count: subject)) + empty
        return der(0x30, der(0x30, fields) + empty + der(0x03, [0, 1]))
    }

    private static func chain(_ certificates: [UInt8]...) -> [UInt8] {
        let list = certificates.flatMap { number($0.count, 3) + $0 }
        return number(list.count, 3) + list
    }

    private static let small = chain(certificate(subject: 100))
    private static let large = chain(certificate(subject: DTLSCertificateMessage.longestSubject + 1))

    private static func verdicts(_ packets: [[UInt8]]) -> [DTLSInspection.Verdict] {
        var inspection = DTLSInspection()
        return packets.map { inspection.inspect($0) }
    }

    private static func isRefused(_ packets: [[UInt8]]) -> Bool {
        verdicts(packets).contains { if case .refuse = $0 { true } else { false } }
    }

    // MARK: What peers send

    @Test("Handshakes of real peers pass: several messages in a datagram, fragments, and all of it again")
    func ordinary() {
        let hello = Self.record(Self.message(Array(repeating: 1, count: 90), type: 2, sequence: 1))
        let fragments = stride(from: 0, to: Self.small.count, by: 40).map {
            Self.record(Self.message(Self.small, $0..<min($0 + 40, Self.small.count)))
        }
        let done = Self.record(Self.message([], type: 14, sequence: 4))
        let finish = Self.record([1], type: 20) + Self.record(Array(repeating: 7, count: 48), epoch: 1)
        let flight = [hello + fragments[0]] + fragments.dropFirst().reversed() + [done, finish]
        let data = [Self.record([1, 2], type: 23, epoch: 1), Self.record([1, 0], type: 21, epoch: 1)]
        let whole = [Self.record(Self.message(Self.small) + Self.message([9], type: 12, sequence: 3))]
        #expect(Self.verdicts(flight + flight + whole + data).allSatisfy { $0 == .pass })
    }

    @Test("A subject may have 384 bytes, and one more is refused, with or without a version")
    func subjects() {
        let most = DTLSCertificateMessage.longestSubject
        for version in [true, false] {
            let allowed = Self.chain(Self.certificate(subject: most, version: version))
            #expect(Self.verdicts([Self.record(Self.message(allowed))]) == [.pass])
            let beyond = Self.chain(Self.certificate(subject: most + 1, version: version))
            #expect(Self.isRefused([Self.record(Self.message(beyond))]))
        }
    }

    @Test("No order, size or repetition of fragments hides a subject", arguments: [1, 7, 100, 5000])
    func hidden(size: Int) {
        let ranges = stride(from: 0, to: Self.large.count, by: size).map {
            $0..<min($0 + size, Self.large.count)
        }
        let packets = ranges.map { Self.record(Self.message(Self.large, $0)) }
        let overlapping = ranges.map {
            Self.record(Self.message(Self.large, max(0, $0.lowerBound - 3)..<$0.upperBound))
        }
        let together = [Array(packets.joined())]
        for order in [packets, packets.reversed(), overlapping, packets.flatMap { [$0, $0] }, together] {
            #expect(Self.isRefused(order))
            // What completes the message is kept back, so that OpenSSL never has all of it.
            #expect(Self.verdicts(order).last != .pass)
        }
    }

    @Test("Nor does another message before it, in the same record, or one that is empty")
    func company() {
        let before = Self.message([1, 2, 3], type: 2, sequence: 1)
        #expect(Self.isRefused([Self.record(before + Self.message(Self.large))]))
        #expect(Self.isRefused([Self.record([], type: 22) + Self.record(Self.message(Self.large))]))
        #expect(Self.verdicts([Self.record(Self.message(Self.chain()))]) == [.pass])
    }

    @Test("A message that contradicts itself is refused")
    func contradictions() {
        let half = Self.small.count / 2
        let first = Self.record(Self.message(Self.small, 0..<half))
        var other = Self.small
        other[half - 1] ^= 1
        let longer = Self.small + [0]
        for second in [
            Self.message(other, 0..<half), Self.message(Self.large, 0..<half),
            Self.message(longer, half..<longer.count),
            Self.message(Self.small, type: 2, half..<Self.small.count), Self.message(Self.small, sequence: 3),
        ] {
            #expect(Self.isRefused([first, Self.record(second)]))
        }
        #expect(Self.isRefused([Self.record(Self.message([1, 2, 3, 4], type: 2, 0..<2)), first]))
    }

    @Test("Certificates that cannot be read, or are too long, are refused")
    func unreadable() {
        var indefinite = Self.certificate(subject: 10)
        indefinite[1] = 0x80
        let bodies = [
            [], [0], [0, 0, 4, 0, 0, 1], [0, 0, 3, 0, 0, 9], Self.chain([]), Self.chain([0x30]),
            Self.chain([0x30, 0x84]),
            Self.chain([0x30, 0x83, 0xFF, 0xFF, 0xFF]), Self.chain(Self.certificate(subject: 3).dropLast(9)),
            Self.chain(indefinite), Self.small + [0], Array(Self.small.dropLast()),
        ]
        for body in bodies { #expect(Self.isRefused([Self.record(Self.message(body))]), "\(body)") }
        let length = DTLSCertificateMessage.longest + 1
        #expect(
            Self.isRefused([
                Self.record([11] + Self.number(length, 3) + Self.number(2, 2) + Self.number(0, 6))
            ])
        )
    }

    @Test("What is cut short or whose lengths lie is dropped, and never traps")
    func lies() {
        let packet = Self.record(Self.message(Self.small))
        for count in 1..<packet.count { #expect(Self.verdicts([Array(packet.prefix(count))]) == [.drop]) }
        for lie in [
            [11] + Self.number(5, 3) + Self.number(2, 2) + Self.number(0, 3) + Self.number(6, 3) + [
                0, 0, 0, 0, 0, 0,
            ],
            [11] + Self.number(5, 3) + Self.number(2, 2) + Self.number(0xFF_FFFF, 3) + Self.number(1, 3) + [
                0
            ],
            [11] + Self.number(5, 3) + Self.number(2, 2) + Self.number(0, 3) + Self.number(0xFF_FFFF, 3) + [
                0
            ],
        ] {
            #expect(Self.verdicts([Self.record(lie)]) == [.drop])
        }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<3000 {
            var noise = packet
            for _ in 0..<3 { noise[Int.random(in: noise.indices, using: &random)] = .random(in: 0...255) }
            _ = Self.verdicts([noise, packet])
        }
    }

    @Test("Of encrypted handshakes too little passes for another certificate")
    func renegotiation() {
        let record = Self.record(Array(repeating: 0, count: 96), epoch: 1)
        let verdicts = Self.verdicts(Array(repeating: record, count: 20))
        #expect(verdicts.filter { $0 == .pass }.count == DTLSInspection.mostEncrypted / 96)
        #expect(verdicts.last == .drop)
        #expect(Self.verdicts([Self.record(Array(repeating: 0, count: 577), epoch: 0xFFFF)]) == [.drop])
    }

    @Test("More messages than a handshake has are refused")
    func messages() {
        #expect(Self.isRefused((0..<40).map { Self.record(Self.message([], type: 1, sequence: $0)) }))
    }
}
