/// A Certificate message of DTLS 1.2 while its fragments come (RFC 5246 §7.4.2, RFC 6347 §4.2.3).
struct DTLSCertificateMessage {
    /// In bytes; a chain is longer than one certificate, and WebRTC needs no chain.
    static let longest = 16_384
    /// In bytes of DER.
    ///
    /// GStreamer before Debian's 1.22.0-4+deb12u8 prints the subject into 2048 bytes without looking at its length, and
    /// OpenSSL makes up to 4.8 characters of a byte: three of one that is escaped, a long name of a short identifier.
    static let longestSubject = 384

    let length: Int
    private var bytes: [UInt8]
    private var isKnown: [Bool]
    private var missing: Int

    /// - Returns: nil where it is longer than `longest`.
    init?(length: Int) {
        guard (0...Self.longest).contains(length) else { return nil }
        self.length = length
        bytes = Array(repeating: 0, count: length)
        isKnown = Array(repeating: false, count: length)
        missing = length
    }

    /// Takes a fragment; one may come again, and overlap others.
    ///
    /// - Returns: false where it lies outside, or says something else than was said before.
    mutating func take(_ fragment: ArraySlice<UInt8>, at offset: Int) -> Bool {
        guard offset >= 0, fragment.count <= length - offset else { return false }
        for (index, byte) in zip(offset..., fragment) {
            if isKnown[index] {
                guard bytes[index] == byte else { return false }
            } else {
                (bytes[index], isKnown[index]) = (byte, true)
                missing -= 1
            }
        }
        return true
    }

    /// Why the first certificate must not be looked at, in words; nil where it may be, or while parts are missing.
    var objection: String? {
        guard missing == 0 else { return nil }
        var message = ByteReader(bytes[...])
        guard let total = message.number(3), let list = message.bytes(total), message.isEmpty else {
            return "its certificate cannot be read"
        }
        if list.isEmpty { return nil }
        var certificates = ByteReader(list)
        guard let count = certificates.number(3), let certificate = certificates.bytes(count),
            let subject = Self.subject(of: certificate)
        else { return "its certificate cannot be read" }
        guard subject.count <= Self.longestSubject else {
            return "its certificate's subject has \(subject.count) bytes, \(Self.longestSubject) are allowed"
        }
        return nil
    }

    /// The subject of an X.509 certificate in DER (RFC 5280 §4.1), without its tag and length.
    static func subject(of certificate: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let (integer, sequence, version): (UInt8, UInt8, UInt8) = (0x02, 0x30, 0xA0)
        var outer = ByteReader(certificate)
        guard let signed = outer.element(sequence) else { return nil }
        var body = ByteReader(signed)
        guard let fields = body.element(sequence) else { return nil }
        var field = ByteReader(fields)
        _ = field.element(version)
        guard field.element(integer) != nil else { return nil }
        for _ in ["signature", "issuer", "validity"] where field.element(sequence) == nil { return nil }
        return field.element(sequence)
    }
}
