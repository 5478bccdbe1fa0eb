import Testing

@testable import CallMedia

@Suite("STUN messages")
struct STUNMessageTests {
    @Test("A request with long-term credentials matches RFC 5769 §2.4")
    func longTerm() throws {
        let credentials = STUNMessage.Credentials(
            username: "\u{30DE}\u{30C8}\u{30EA}\u{30C3}\u{30AF}\u{30B9}",
            secret: "TheMatrIX",
            realm: Array("example.org".utf8),
            nonce: Array("f//499k954d6OL34oL9FSTvy64sA".utf8)
        )
        let plain = try #require(STUNMessage(bytes("00010000 2112a442 78ad3433c6ad72c029da412e")))
        let proof = bytes("f67024656dd64a3e02b8e0712e85c9a28ca89666")
        #expect(plain.encoded(credentials).count == 20 + 0x60)
        #expect(Array(plain.encoded(credentials).suffix(20)) == proof)
    }

    @Test("A mapped address is parsed as in RFC 5769 §2.2 and §2.3")
    func mapped() throws {
        let four = bytes("0101000c 2112a442 b7e7a701bc34d686fa87dfae 00200008 0001a147e112a643")
        #expect(STUNMessage(four)?.address(.mappedAddress) == "192.0.2.1:32853")
        let six = bytes(
            "01010018 2112a442 b7e7a701bc34d686fa87dfae 00200014 0002a147 0113a9faa5d3f179bc25f4b5bed2b9d9"
        )
        #expect(STUNMessage(six)?.address(.mappedAddress) == "[2001:db8:1234:5678:11:2233:4455:6677]:32853")
    }

    @Test("An error has a code and a reason without control characters")
    func error() throws {
        let refusal = bytes("0113000c 2112a442 000000000000000000000000 00090008 00000401 1b5b324a")
        let error = try #require(STUNMessage(refusal)?.error)
        #expect(error.code == 401)
        #expect(!error.reason.contains("\u{1B}"))
    }

    @Test(
        "Truncated, overlong and malformed messages are rejected",
        arguments: [
            "", "0101", "01010000 2112a443 000000000000000000000000",
            "01010004 2112a442 000000000000000000000000",
            "0101ffff 2112a442 000000000000000000000000", "c1010000 2112a442 000000000000000000000000",
            "01010004 2112a442 000000000000000000000000 00200008",
            "7fff0000 2112a442 000000000000000000000000",
        ]
    )
    func malformed(text: String) { #expect(STUNMessage(bytes(text)) == nil) }

    @Test("Random bytes never trap")
    func anything() {
        for size in 0..<400 {
            var message = (0..<size).map { _ in UInt8.random(in: .min ... .max) }
            if size >= 20 {
                let header = bytes("0113") + [UInt8((size - 20) >> 8), UInt8((size - 20) & 0xFF)]
                message.replaceSubrange(0..<8, with: header + bytes("2112a442"))
            }
            let read = STUNMessage(message)
            _ = (read?.error?.code, read?.address(.relayedAddress))
        }
    }

    private func bytes(_ text: String) -> [UInt8] {
        let digits = Array(text.filter { $0 != " " })
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
    }
}
