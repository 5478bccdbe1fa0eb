import Testing

@testable import CallCore

@Suite("Certificate fingerprints")
struct FingerprintTests {
    private static func digest(_ byte: UInt8, _ function: Fingerprint.HashFunction) -> [UInt8] {
        Array(repeating: byte, count: function.length)
    }

    private static func text(_ byte: String, _ count: Int) -> String {
        Array(repeating: byte, count: count).joined(separator: ":")
    }

    private static let right = "sha-256 \(text("AB", 32))"
    private static let wrong = "sha-256 \(text("00", 32))"

    /// Creates an SDP description with these fingerprints at session level and in each section.
    private static func description(_ session: [String] = [], _ sections: [String]...) -> String {
        let lines = sections.map { $0.map { "a=fingerprint:\($0)\n" }.joined() }
        return "v=0\n" + session.map { "a=fingerprint:\($0)\n" }.joined()
            + lines.map { "m=audio 9 X 0\n\($0)" }.joined()
    }

    /// Returns whether an SDP description accepts a certificate whose digests consist of the byte 0xAB.
    private static func accepts(_ text: String) throws -> Bool {
        try SessionDescription(parsing: text).certificateFingerprints().objection { digest(0xAB, $0) } == nil
    }

    @Test(
        "A certificate is accepted if a fingerprint in any notation matches it",
        arguments: [
            description([], [right]), description([right], []),
            description([], ["SHA-256 \(text("ab", 32))"]), description([], ["Sha-256 \(text("aB", 32))"]),
            description([], ["sha-384 \(text("AB", 48))"]), description([], ["sha-512 \(text("AB", 64))"]),
            description([], [wrong, right]), description([], [right, wrong]),
            description([], [right, "sha-1 \(text("00", 20))", "md5 00", "sha3-256 00:11"]),
            description([], [wrong, "sha-512 \(text("AB", 64))"]), description([], [right], []),
            description([wrong], [right]), description([], [right], [right]),
        ]
    )
    func accepted(text: String) throws { #expect(try Self.accepts(text)) }

    @Test(
        "A certificate that does not match the fingerprints is refused",
        arguments: [
            description([], [wrong]), description([], [wrong, wrong]), description([right], [wrong]),
            description([], [right, "sha-512 \(text("00", 64))"]), description([], [right], [wrong]),
            description([wrong], [right], []), description([], ["sha-256 \(text("AB", 31)):AA"]),
        ]
    )
    func refused(text: String) throws { #expect(try !Self.accepts(text)) }

    @Test("An SDP description without sections, or with only rejected ones, accepts no certificate")
    func nothing() throws {
        for text in [
            "v=0\n", "v=0\na=fingerprint:\(Self.right)\n",
            "v=0\nm=audio 0 X 0\na=fingerprint:\(Self.right)\n",
        ] {
            #expect(try !Self.accepts(text))
        }
    }

    @Test("An SDP description without a fingerprint, or with only weak ones, is unusable")
    func unverifiable() throws {
        for lines in [
            ["sha-1 \(Self.text("AB", 20))"], ["MD5 00", "sha-1 00"], ["sha3-256 \(Self.text("AB", 32))"],
        ] {
            let description = try SessionDescription(parsing: Self.description([], lines))
            let names = lines.map { String($0.prefix { $0 != " " }) }.sorted()
            #expect(throws: SessionDescriptionError.unusableFingerprints(names)) {
                try description.certificateFingerprints()
            }
        }
        let silent = Self.description([], [], [])
        #expect(throws: SessionDescriptionError.noFingerprint) {
            try SessionDescription(parsing: silent).certificateFingerprints()
        }
        // A section with only a weak fingerprint is refused even if the session level has a strong one.
        #expect(throws: SessionDescriptionError.self) {
            try Self.accepts(Self.description([Self.right], ["sha-1 00"]))
        }
    }

    @Test(
        "A malformed fingerprint makes an SDP description unusable",
        arguments: [
            "", " ", "sha-256", "sha-256 ", " \(text("AB", 32))", "sha-256 \(text("AB", 31))",
            "sha-256 \(text("AB", 33))",
            "sha-256  \(text("AB", 32))", "sha-256 \(text("AB", 32)) ", "sha-256 \(text("AB", 32)):",
            "sha-256 \(text("A", 32))", "sha-256 \(text("ABC", 32))", "sha-256 \(text("+A", 32))",
            "sha-256 \(text("G0", 32))", "sha-256 \(text("０Ａ", 32))",
            "sha-256 " + String(repeating: "AB", count: 32),
            "sha-1 xx", "sha-512 \(text("AB", 32))", "md5 " + String(repeating: "AB:", count: 10_000) + "AB",
        ]
    )
    func malformed(value: String) {
        for text in [Self.description([value]), Self.description([Self.right], [Self.right, value])] {
            #expect(throws: SessionDescriptionError.self) { try SessionDescription(parsing: text) }
        }
    }

    @Test("The number of fingerprint lines in an SDP description is limited")
    func many() throws {
        let lines = Array(repeating: Self.right, count: 32)
        #expect(try Self.accepts(Self.description([], lines)))
        #expect(throws: SessionDescriptionError.self) {
            try Self.accepts(Self.description([], lines + [Self.right]))
        }
    }

    @Test("The message about a mismatch shows enough of both fingerprints to tell them apart")
    func objection() throws {
        let far = try SessionDescription(parsing: Self.description([], [Self.wrong]))
            .certificateFingerprints()
        let sentence = try #require(far.objection { Self.digest(0xAB, $0) })
        #expect(
            sentence.contains("sha-256 AB:AB:AB:AB:AB:AB…") && sentence.contains("sha-256 00:00:00:00:00:00…")
        )
        let near = "sha-256 \(Self.text("AB", 31)):AA"
        let close = try SessionDescription(parsing: Self.description([], [near])).certificateFingerprints()
        #expect(close.objection { Self.digest(0xAB, $0) }?.contains(near) == true)
    }

    @Test("An offer or answer without a fingerprint is refused before it is applied")
    func attempts() {
        let text = "v=0\no=- 1 1 IN IP4 0\na=ice-ufrag:peer\nm=audio 9 X 0\n"
        #expect(throws: CallMediaFailure.self) { try SessionOffer(parsing: text) }
        var caller = AttemptStateMachine(role: .caller)
        _ = caller.handle(.start)
        _ = caller.handle(.offerCreated("v=0\na=ice-ufrag:mine\n"))
        #expect(caller.handle(.answerReceived(.init(text), offerID: nil)).isEmpty)
        guard case .failed(.badDescription) = caller.end else {
            Issue.record("\(caller.state)")
            return
        }
    }
}
