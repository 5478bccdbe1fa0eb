internal import Basics

/// The digest of a certificate's DER and the hash function that made it (RFC 8122 §5).
package struct Fingerprint: Hashable, Sendable {
    /// The accepted hash functions, from the weakest to the strongest; SHA-1 and MD5 are too weak.
    package enum HashFunction: String, Hashable, Sendable, CaseIterable {
        case sha256 = "sha-256"
        case sha384 = "sha-384"
        case sha512 = "sha-512"

        /// The length of a digest in bytes.
        package var length: Int {
            switch self {
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }
    }

    private static let shownBytes = 6

    package let function: HashFunction
    package let digest: [UInt8]

    package init(_ function: HashFunction, _ digest: [UInt8]) {
        (self.function, self.digest) = (function, digest)
    }

    /// The first bytes of the fingerprint, for display; another certificate has the same first bytes only if it was
    /// crafted for this purpose.
    var abbreviated: String { text(of: digest.prefix(Self.shownBytes)) + "…" }
    var whole: String { text(of: digest[...]) }

    private func text(of bytes: ArraySlice<UInt8>) -> String {
        "\(function.rawValue) \(Self.digits(of: bytes))"
    }

    /// Formats bytes as in `a=fingerprint`.
    package static func digits(of bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }
}

/// The `a=fingerprint` lines of a section or of a session.
struct FingerprintLines: Hashable, Sendable {
    private static let maximumLines = 32

    private(set) var usable: Set<Fingerprint> = []
    /// The hash functions of lines that cannot be used for verification.
    private(set) var unusable: Set<String> = []
    private var count = 0

    var isEmpty: Bool { count == 0 }

    /// The fingerprints of the strongest hash function; the certificate must match one of them.
    var strongest: Set<Fingerprint> {
        let function = Fingerprint.HashFunction.allCases.last { function in
            usable.contains { $0.function == function }
        }
        return usable.filter { $0.function == function }
    }

    /// Parses the value of an `a=fingerprint` line; hash functions and digits are case-insensitive.
    ///
    /// - Returns: false if the value is malformed, or if there are more than `maximumLines` lines.
    mutating func add(_ value: Substring) -> Bool {
        let words = value.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, !words[0].isEmpty, count < Self.maximumLines,
            let digest = Self.bytes(words[1].utf8)
        else { return false }
        count += 1
        guard let function = Fingerprint.HashFunction(rawValue: words[0].lowercased()) else {
            unusable.insert(words[0].printable(limit: 20))
            return true
        }
        usable.insert(Fingerprint(function, digest))
        return digest.count == function.length
    }

    /// Parses pairs of hexadecimal digits separated by colons.
    ///
    /// - Returns: nil for anything else, or for more bytes than any digest has.
    private static func bytes(_ text: Substring.UTF8View) -> [UInt8]? {
        let longest = 3 * 64
        guard text.count < longest else { return nil }
        var bytes: [UInt8] = []
        for pair in text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) {
            let digits = pair.compactMap(hexDigit)
            guard pair.count == 2, digits.count == 2 else { return nil }
            bytes.append(digits[0] << 4 | digits[1])
        }
        return bytes
    }

    private static func hexDigit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
