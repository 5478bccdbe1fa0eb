internal import Basics
internal import Crypto
internal import SwiftASN1

/// A key or certificate in an unsupported format, found in a file that should contain a secret.
///
/// It is never used as a secret: with a public key as the secret, everyone who knows the key could sign
/// tokens.
package enum ForeignKey: Error, Hashable, Sendable, CustomStringConvertible {
    /// JSON, for example a JSON Web Key (RFC 7517).
    case json
    /// A DER key or certificate, raw or as Base64 or hexadecimal digits.
    case der
    /// An SSH key in the format of OpenSSH, RFC 4716 or PuTTY.
    case ssh
    /// A textual description of a key, such as the output of `openssl pkey -text`, or a JSON Web Key as YAML.
    case text
    /// A public key as a point of the curve P-256 (SEC 1 §2.3), raw or as Base64 or hexadecimal digits.
    case point
    /// A key that was encoded once more, for example PEM as Base64, or compressed.
    case encoded

    package var description: String {
        switch self {
        case .json: "the file holds JSON, perhaps a JSON Web Key, which is not supported"
        case .der:
            "the file holds a key or certificate in DER, which is not supported; `openssl pkey -inform DER` converts a private key to PEM, and with -pubin a public key"
        case .ssh:
            "the file holds an SSH key, which is not supported; "
                + "`ssh-keygen -e -m PKCS8 -f FILE` prints the public key of an OpenSSH file as PEM"
        case .text:
            "the file holds a textual description of a key, which is not supported; give the key as PEM"
        case .point:
            "the file holds the raw point of a P-256 key, which is not supported; give the key as PEM"
        case .encoded: "the file holds a key that was encoded or compressed; give the key itself, as PEM"
        }
    }

    /// Detects an unsupported key or certificate in a file; nil if the file may contain a secret.
    ///
    /// - Parameter file: The bytes of a file that is not PEM; zero bytes, as in UTF-16, are ignored in text.
    init?(in file: [UInt8]) { self.init(in: file, depth: 0) }

    private init?(in file: [UInt8], depth: Int) {
        let scalars = String(decoding: file.filter { $0 != 0 }, as: UTF8.self).unicodeScalars
        let text = String(scalars.drop { $0.properties.isWhitespace || Self.byteOrderMarks.contains($0) })
        if let start = text.unicodeScalars.first, "{[\"".unicodeScalars.contains(start) {
            self = .json
        } else if Self.isSSH(text) {
            self = .ssh
        } else if let found = Self.candidates(file, text).lazy.compactMap({ Self.form($0, of: file, depth) })
            .first
        {
            self = found
        } else if Self.isDescription(text) {
            self = .text
        } else {
            return nil
        }
    }

    /// Determines whether the text contains words that no random secret has.
    private static func isDescription(_ text: String) -> Bool {
        let words = text.lowercased()
        return Self.words.contains { words.contains($0) }
    }

    private static let words = ["public key", "public-key", "kty:", "modulus", "rsakeyvalue", "0x30"]
    /// The maximum number of nested encodings that are detected.
    private static let maximumDepth = 3
    /// The first bytes of the DER object identifiers of RSA and elliptic-curve keys.
    private static let identifier: [UInt8] = [0x2A, 0x86, 0x48]

    // A byte order mark in UTF-16 is invalid UTF-8, which is decoded as U+FFFD.
    private static let byteOrderMarks: Set<Unicode.Scalar> = ["\u{FEFF}", "\u{FFFE}", "\u{FFFD}"]
    private static let prefixes = ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-sha2-"]

    private static func isSSH(_ text: String) -> Bool {
        if text.contains("---- BEGIN ") || text.contains("PuTTY-User-Key-File-") { return true }
        return text.split(whereSeparator: \.isWhitespace)
            .contains { word in prefixes.contains { word.hasPrefix($0) } }
    }

    /// Returns the byte strings that may be a key: the whole file, and each decoded part of it that looks like
    /// Base64 or hexadecimal digits.
    private static func candidates(_ file: [UInt8], _ text: String) -> [[UInt8]] {
        let end = file.lastIndex { ![9, 10, 13, 32].contains($0) }.map { $0 + 1 } ?? 0
        let whole = text.filter { !$0.isWhitespace }
        let plain = whole.filter { $0 != ":" }
        let runs =
            [Substring(whole), Substring(plain)] + text.split { !isLetter($0) }
            + whole.split { !isLetter($0) }
        let decoded = runs.flatMap { run in [base64(run), hexadecimal(run)].compactMap(\.self) }
        return [file, Array(file[..<end])] + decoded
    }

    private static func isLetter(_ character: Character) -> Bool {
        guard let byte = character.asciiValue else { return false }
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            return true
        default: return false
        }
    }

    /// Decodes standard or URL-safe Base64, with or without padding; nil if the text is not Base64.
    static func base64(_ run: Substring) -> [UInt8]? {
        var letters = run.prefix { $0 != "=" }.map { letter -> Character in
            switch letter {
            case "-": "+"
            case "_": "/"
            default: letter
            }
        }
        guard letters.count % 4 != 1 else { return nil }
        while !letters.count.isMultiple(of: 4) { letters.append("=") }
        return Base64.decode(String(letters))
    }

    private static func hexadecimal(_ run: Substring) -> [UInt8]? {
        let digits = run.compactMap(\.hexDigitValue)
        guard digits.count == run.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private static func form(_ bytes: [UInt8], of file: [UInt8], _ depth: Int) -> ForeignKey? {
        if isSSHBlob(bytes) { return .ssh }
        if isEncoded(bytes) { return .encoded }
        if bytes.first == 0x30, bytes.firstRange(of: identifier) != nil { return .der }
        if depth < maximumDepth, bytes.count < file.count - 2, bytes.count >= 32,
            bytes.allSatisfy({ (32..<127).contains($0) || $0 == 10 || $0 == 13 }),
            ForeignKey(in: bytes, depth: depth + 1) != nil
        {
            return .encoded
        }
        // A complete ASN.1 sequence with nothing after it.
        if bytes.first == 0x30, bytes.count > 2, (try? DER.parse(bytes)) != nil { return .der }
        return isPoint(bytes) ? .point : nil
    }

    /// Determines whether the bytes are PEM that was encoded, or compressed with gzip.
    private static func isEncoded(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x1F, 0x8B]) || bytes.firstRange(of: Array("-----BEGIN ".utf8)) != nil
    }

    /// Determines whether the bytes begin with the name of a key type, as in OpenSSH (RFC 4253 §6.6).
    private static func isSSHBlob(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 4, bytes.starts(with: [0, 0, 0]) else { return false }
        let name = String(decoding: bytes[4...].prefix(Int(bytes[3])), as: UTF8.self)
        return prefixes.contains { name.hasPrefix($0) }
    }

    private static func isPoint(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 33: (try? P256.Signing.PublicKey(compressedRepresentation: bytes)) != nil
        case 64: (try? P256.Signing.PublicKey(rawRepresentation: bytes)) != nil
        case 65: (try? P256.Signing.PublicKey(x963Representation: bytes)) != nil
        default: false
        }
    }
}
