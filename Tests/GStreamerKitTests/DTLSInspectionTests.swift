import Testing

@testable import GStreamerKit

@Suite("Inspection of DTLS packets")
struct DTLSInspectionTests {
    private static func verdicts(_ packets: [[UInt8]]) -> [DTLSInspection.Verdict] {
        var inspection = DTLSInspection()
        return packets.map { inspection.inspect($0) }
    }

    private static func isRefused(_ packets: [[UInt8]]) -> Bool {
        verdicts(packets).contains { if case .refuse = $0 { true } else { false } }
    }

    @Test("Handshakes with several messages per datagram, fragments and retransmissions pass")
    func ordinary() {
        let hello = DTLS.record(DTLS.message(Array(repeating: 1, count: 90), type: 2, sequence: 1))
        let fragments = stride(from: 0, to: DTLS.small.count, by: 40).map {
            DTLS.record(DTLS.message(DTLS.small, $0..<min($0 + 40, DTLS.small.count)))
        }
        let done = DTLS.record(DTLS.message([], type: 14, sequence: 4))
        let finish = DTLS.record([1], type: 20) + DTLS.record(Array(repeating: 7, count: 48), epoch: 1)
        let flight = [hello + fragments[0]] + fragments.dropFirst().reversed() + [done, finish]
        let alert = [DTLS.record([1, 0], type: 21, epoch: 1)]
        let whole = [DTLS.record(DTLS.message(DTLS.small) + DTLS.message([9], type: 12, sequence: 3))]
        #expect(Self.verdicts(flight + flight + whole + alert).allSatisfy { $0 == .pass })
    }

    @Test("Application data are dropped, alone and beside other records")
    func applicationData() {
        let (data, alert) = (
            DTLS.record([1, 2], type: 23, epoch: 1), DTLS.record([1, 0], type: 21, epoch: 1)
        )
        #expect(Self.verdicts([data, alert + data, data + alert, alert]) == [.drop, .drop, .drop, .pass])
    }

    @Test("A certificate with a subject of 384 bytes passes, and one with a longer subject is refused")
    func subjects() {
        let maximum = DTLSCertificateMessage.longestSubject
        for version in [true, false] {
            let allowed = DTLS.chain(DTLS.certificate(subject: maximum, version: version))
            #expect(Self.verdicts([DTLS.record(DTLS.message(allowed))]) == [.pass])
            let beyond = DTLS.chain(DTLS.certificate(subject: maximum + 1, version: version))
            #expect(Self.isRefused([DTLS.record(DTLS.message(beyond))]))
        }
    }

    @Test("A long certificate subject is found in tiny or reordered fragments", arguments: [1, 7, 100, 5000])
    func hidden(size: Int) {
        let ranges = stride(from: 0, to: DTLS.large.count, by: size).map {
            $0..<min($0 + size, DTLS.large.count)
        }
        let packets = ranges.map { DTLS.record(DTLS.message(DTLS.large, $0)) }
        let overlapping = ranges.map {
            DTLS.record(DTLS.message(DTLS.large, max(0, $0.lowerBound - 3)..<$0.upperBound))
        }
        let together = [Array(packets.joined())]
        for order in [packets, packets.reversed(), overlapping, packets.flatMap { [$0, $0] }, together]
        where order.allSatisfy({ $0.count <= DTLSInspection.longestDatagram }) {
            #expect(Self.isRefused(order))
            // The datagram that completes the message is dropped, so OpenSSL never gets the whole message.
            #expect(Self.verdicts(order).last != .pass)
        }
    }

    @Test("A long certificate subject is found after another message or an empty record")
    func company() {
        let before = DTLS.message([1, 2, 3], type: 2, sequence: 1)
        #expect(Self.isRefused([DTLS.record(before + DTLS.message(DTLS.large))]))
        #expect(Self.isRefused([DTLS.record([], type: 22) + DTLS.record(DTLS.message(DTLS.large))]))
        #expect(Self.verdicts([DTLS.record(DTLS.message(DTLS.chain()))]) == [.pass])
    }

    @Test("A handshake message whose fragments contradict each other is refused")
    func contradictions() {
        let half = DTLS.small.count / 2
        let first = DTLS.record(DTLS.message(DTLS.small, 0..<half))
        var other = DTLS.small
        other[half - 1] ^= 1
        let longer = DTLS.small + [0]
        for second in [
            DTLS.message(other, 0..<half), DTLS.message(DTLS.large, 0..<half),
            DTLS.message(longer, half..<longer.count),
            DTLS.message(DTLS.small, type: 2, half..<DTLS.small.count), DTLS.message(DTLS.small, sequence: 3),
        ] {
            #expect(Self.isRefused([first, DTLS.record(second)]))
        }
        #expect(Self.isRefused([DTLS.record(DTLS.message([1, 2, 3, 4], type: 2, 0..<2)), first]))
    }

    @Test("Certificates that are unreadable or too long are refused")
    func unreadable() {
        var indefinite = DTLS.certificate(subject: 10)
        indefinite[1] = 0x80
        let bodies = [
            [], [0], [0, 0, 4, 0, 0, 1], [0, 0, 3, 0, 0, 9], DTLS.chain([]), DTLS.chain([0x30]),
            DTLS.chain([0x30, 0x84]),
            DTLS.chain([0x30, 0x83, 0xFF, 0xFF, 0xFF]), DTLS.chain(DTLS.certificate(subject: 3).dropLast(9)),
            DTLS.chain(indefinite), DTLS.small + [0], Array(DTLS.small.dropLast()),
        ]
        for body in bodies { #expect(Self.isRefused([DTLS.record(DTLS.message(body))]), "\(body)") }
        let length = DTLSCertificateMessage.longest + 1
        #expect(
            Self.isRefused([
                DTLS.record([11] + DTLS.number(length, 3) + DTLS.number(2, 2) + DTLS.number(0, 6))
            ])
        )
    }

    @Test("Datagrams with truncated data or wrong lengths are dropped, and never cause a trap")
    func lies() {
        let packet = DTLS.record(DTLS.message(DTLS.small))
        for count in 1..<packet.count { #expect(Self.verdicts([Array(packet.prefix(count))]) == [.drop]) }
        for lie in [
            [11] + DTLS.number(5, 3) + DTLS.number(2, 2) + DTLS.number(0, 3) + DTLS.number(6, 3) + [
                0, 0, 0, 0, 0, 0,
            ],
            [11] + DTLS.number(5, 3) + DTLS.number(2, 2) + DTLS.number(0xFF_FFFF, 3) + DTLS.number(1, 3) + [
                0
            ],
            [11] + DTLS.number(5, 3) + DTLS.number(2, 2) + DTLS.number(0, 3) + DTLS.number(0xFF_FFFF, 3) + [
                0
            ],
        ] {
            #expect(Self.verdicts([DTLS.record(lie)]) == [.drop])
        }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<3000 {
            var noise = packet
            for _ in 0..<3 { noise[Int.random(in: noise.indices, using: &random)] = .random(in: 0...255) }
            _ = Self.verdicts([noise, packet])
        }
    }

    @Test("Encrypted handshake records are limited in number and length, so no certificate fits into them")
    func renegotiation() {
        let (maximum, longest) = (DTLSInspection.maximumEncrypted, DTLSInspection.longestEncrypted)
        let repetitions = (0..<20).map {
            DTLS.record(Array(repeating: 0, count: longest), epoch: 1, number: $0)
        }
        #expect(Self.verdicts(repetitions).map { $0 == .pass } == (0..<20).map { $0 < maximum })
        let long = DTLS.record(Array(repeating: 0, count: longest + 1), epoch: 1)
        #expect(Self.verdicts([long]) == [.drop])
        for epoch in [2, 0x100, 0xFFFF] {
            #expect(Self.verdicts([DTLS.record([0], epoch: epoch)]) == [.drop])
        }
    }

    @Test("A Finished message passes even after many forged encrypted records")
    func forgedFinished() {
        let forged = (0..<100).flatMap { number in
            [1, 48, 96, 200].map {
                DTLS.record(Array(repeating: UInt8(number), count: $0), epoch: 1, number: number % 10)
            }
        }
        let finished = DTLS.record(Array(repeating: 7, count: 48), epoch: 1)
        #expect(Self.verdicts(forged + [finished]).last == .pass)
    }

    @Test(
        "A datagram is dropped if OpenSSL might parse its records differently",
        arguments: [
            [22, 253, 253], [22, 3, 3], [22, 254, 252], [19, 254, 253], [24, 254, 253], [32, 254, 253],
        ]
    )
    func records(beginning: [UInt8]) {
        let hello = DTLS.record(DTLS.message([1], type: 1, sequence: 0))
        let strange = beginning + hello.dropFirst(3)
        #expect(Self.verdicts([strange, hello + strange, strange + hello]) == [.drop, .drop, .drop])
    }

    @Test("A datagram with a certificate record inside another record is not passed on", arguments: 0...30)
    func inside(before: Int) {
        let padding = [UInt8](repeating: 0, count: before)
        let certificate = DTLS.record(DTLS.message(DTLS.large))
        for type in [20, 21, 22, 23] as [UInt8] {
            for version in [253, 255] as [UInt8] {
                var outer = DTLS.record(padding + certificate, type: type)
                outer[2] = version
                #expect(Self.verdicts([outer]) != [.pass])
                // The certificate record is inside a complete message whose content is not inspected.
                let message = DTLS.message(padding + certificate, type: 20, sequence: 0)
                #expect(Self.verdicts([DTLS.record(message)]) == [.drop])
            }
        }
    }

    @Test("A first ClientHello may have the record version of DTLS 1.0")
    func firstHello() {
        var hello = DTLS.record(DTLS.message([1], type: 1, sequence: 0))
        hello[2] = 255
        #expect(Self.verdicts([hello]) == [.pass])
    }

    @Test("A datagram of more than 4 kB is dropped")
    func longDatagrams() {
        let (maximum, header) = (DTLSInspection.longestDatagram, 13)
        let content = [UInt8](repeating: 1, count: maximum - header)
        #expect(
            Self.verdicts([DTLS.record(content, type: 21), DTLS.record(content + [1], type: 21)])
                == [.pass, .drop]
        )
    }

    @Test("A datagram that does not pass does not change the state of the inspection")
    func traces() {
        var other = DTLS.small
        other[0] ^= 1
        let forged = [
            DTLS.record(DTLS.message(other)), DTLS.record(DTLS.message(DTLS.small, sequence: 3)),
            DTLS.record(DTLS.message(DTLS.large)), DTLS.record(DTLS.message([1], type: 16)),
            DTLS.record(DTLS.message([1], type: 16, sequence: 3)) + [22],
        ]
        let exchange = DTLS.message([1], type: 12, sequence: 3)
        let certificate = DTLS.record(DTLS.message(DTLS.small))
        let verdicts = Self.verdicts([certificate] + forged + [certificate + DTLS.record(exchange)])
        #expect(verdicts.first == .pass && verdicts.last == .pass)
        #expect(verdicts.dropFirst().dropLast().allSatisfy { $0 != .pass })
    }

    @Test("More messages than a handshake can have are refused")
    func messages() {
        #expect(Self.isRefused((0..<40).map { DTLS.record(DTLS.message([], type: 1, sequence: $0)) }))
    }
}
