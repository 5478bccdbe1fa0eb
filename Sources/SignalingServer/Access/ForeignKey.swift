internal import Crypto
internal import SocketIO
internal import SwiftASN1

/// A key or a certificate in a form that is not read, found in a file for a secret.
///
/// Taken for a secret, a public key would let in whoever knows it, and everybody may.
package enum ForeignKey: Error, Hashable, Sendable, CustomStringConvertible {
    /// JSON, as of a JSON Web Key (RFC 7517).
    case json
    /// DER, as it is or as Base64 or hexadecimal digits: a key, or a certificate.
    case der
    /// OpenSSH, RFC 4716 or PuTTY.
    case ssh
    /// A point of the curve P-256 (SEC 1 §2.3), as bytes, Base64 or hexadecimal digits.
    case point

    package var description: String {
        switch self {
        case .json: "it holds JSON, perhaps a JSON Web Key, which is not read"
        case .der:
            "it holds a key or a certificate in DER, which is not read; `openssl pkey -pubin -inform DER` makes PEM"
        case .ssh: "it holds an SSH key, which is not read; `ssh-keygen -e -m PKCS8 -f FILE` makes PEM"
        case .point: "it holds the point of a P-256 key, which is not read; give the key as PEM"
        }
    }

    /// Nil for what may be a secret.
    ///
    /// - Parameter file: the bytes of a file that is no PEM; those of value 0, as of UTF-16, do not count in text.
    init?(in file: [UInt8]) {
        let scalars = String(decoding: file.filter { $0 != 0 }, as: UTF8.self).unicodeScalars
        let text = String(scalars.drop { $0.properties.isWhitespace || Self.byteOrderMarks.contains($0) })
        if let start = text.unicodeScalars.first, "{[\"".unicodeScalars.contains(start) {
            self = .json
        } else if Self.isSSH(text) {
            self = .ssh
        } else if let found = Self.candidates(file, text).lazy.compactMap(Self.form).first {
            self = found
        } else {
            return nil
        }
    }

    // The third is what is left of the first two where bytes are no UTF-8.
    private static let byteOrderMarks: Set<Unicode.Scalar> = ["\u{FEFF}", "\u{FFFE}", "\u{FFFD}"]
    private static let prefixes = ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-sha2-"]

    private static func isSSH(_ text: String) -> Bool {
        if text.contains("---- BEGIN ") || text.contains("PuTTY-User-Key-File-") { return true }
        return text.split(whereSeparator: \.isWhitespace)
            .contains { word in prefixes.contains { word.hasPrefix($0) } }
    }

    /// The file's bytes, and those that its runs of letters stand for.
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

    /// Base64 of either alphabet, with or without padding.
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

    private static func form(_ bytes: [UInt8]) -> ForeignKey? {
        if isSSHBlob(bytes) { return .ssh }
        // A sequence, whole and with nothing behind it.
        if bytes.first == 0x30, bytes.count > 2, (try? DER.parse(bytes)) != nil { return .der }
        return isPoint(bytes) ? .point : nil
    }

    /// Whether the bytes begin with the name of a kind of key, as those of OpenSSH do (RFC 4253 §6.6).
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
