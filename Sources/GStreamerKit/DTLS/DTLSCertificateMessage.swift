/// A Certificate message of DTLS 1.2, assembled from its fragments (RFC 5246 §7.4.2, RFC 6347 §4.2.3).
struct DTLSCertificateMessage {
    /// The maximum length in bytes; a longer certificate chain is refused, as WebRTC needs no chain.
    static let longest = 16_384
    /// The maximum length of the subject, in bytes of DER.
    ///
    /// GStreamer before Debian's 1.22.0-4+deb12u8 writes the subject as text into 2048 bytes without checking
    /// its length. OpenSSL's text has up to 4.8 characters per byte of DER, because it writes an escaped byte
    /// as three characters, and an object identifier of a few bytes as a long name.
    static let longestSubject = 384

    let length: Int
    private var bytes: [UInt8]
    private var isKnown: [Bool]
    private var missing: Int

    /// Creates a message without any fragments; nil if it is longer than `longest`.
    init?(length: Int) {
        guard (0...Self.longest).contains(length) else { return nil }
        self.length = length
        bytes = Array(repeating: 0, count: length)
        isKnown = Array(repeating: false, count: length)
        missing = length
    }

    /// Adds a fragment, which may repeat or overlap others.
    ///
    /// - Returns: False if the fragment lies outside the message or contradicts an earlier one.
    mutating func add(_ fragment: ArraySlice<UInt8>, at offset: Int) -> Bool {
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

    /// The reason why the first certificate must not be processed; nil if it may be, or is still incomplete.
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
            return
                "its certificate's subject has \(subject.count) bytes, at most \(Self.longestSubject) are allowed"
        }
        return nil
    }

    /// Finds the subject of an X.509 certificate in DER (RFC 5280 §4.1), without its tag and length; nil if
    /// the certificate cannot be read.
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
