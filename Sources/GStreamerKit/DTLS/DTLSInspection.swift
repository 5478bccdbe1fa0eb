/// An inspection of incoming DTLS packets for a certificate that would crash some versions of GStreamer 1.22.
///
/// A datagram may contain several records and messages; fragments may arrive in any order and repeatedly. All are
/// interpreted as OpenSSL does. A datagram that cannot be interpreted, or that might hide a handshake record, does not
/// pass.
struct DTLSInspection {
    enum Verdict: Hashable {
        case pass
        /// Data that a legitimate peer would not send.
        case drop
        /// Data of a hostile peer, with the reason.
        case refuse(String)
    }

    /// The maximum length of a datagram in bytes; a longer flight is sent in several datagrams.
    static let longestDatagram = 4096
    /// The maximum length of an encrypted handshake record in bytes, enough for Finished with any cipher.
    static let longestEncrypted = 96
    /// The number of encrypted handshake records that may pass: Finished, and some repetitions of it.
    ///
    /// If the peer is the server, OpenSSL agrees to a renegotiation, whose encrypted certificate cannot be
    /// inspected. This number is too small for such a certificate, because sequence numbers begin at 0 and
    /// OpenSSL accepts each only once. Forged records do not use up sequence numbers.
    static let maximumEncrypted = 8
    /// The maximum number of handshake messages; a handshake has fewer.
    private static let maximumMessages = 32
    /// The content types ChangeCipherSpec, alert and handshake.
    ///
    /// Heartbeats (RFC 6520) and application data are rejected. A dtlsdec fails if it decrypts application data while
    /// no data channels exist, which would end the call.
    private static let contentTypes = 20...22
    private static let handshake = 22
    /// The record versions DTLS 1.2 and DTLS 1.0; the first ClientHello uses 1.0 (RFC 6347 §4.2.1).
    private static let versions = [0xFEFD, 0xFEFF]
    private static let certificate = 11

    private var types: [Int: Int] = [:]
    private var message: (sequence: Int, DTLSCertificateMessage)?

    /// Inspects a datagram whose first byte identifies it as DTLS; only a datagram that passes changes the
    /// state.
    mutating func inspect(_ datagram: [UInt8]) -> Verdict {
        var next = self
        let verdict = next.read(datagram)
        if verdict == .pass { self = next }
        return verdict
    }

    private mutating func read(_ datagram: [UInt8]) -> Verdict {
        guard datagram.count <= Self.longestDatagram else { return .drop }
        var packet = ByteReader(datagram[...])
        var beginnings: Set<Int> = []
        while !packet.isEmpty {
            beginnings.insert(packet.rest.startIndex)
            // RFC 6347 §4.1: type, version, epoch, sequence number, length.
            guard let type = packet.number(1), Self.contentTypes.contains(type),
                let version = packet.number(2), Self.versions.contains(version),
                let epoch = packet.number(2), let number = packet.number(6),
                let length = packet.number(2), let content = packet.bytes(length)
            else { return .drop }
            guard type == Self.handshake else { continue }
            let verdict =
                epoch == 0
                ? inspect(messages: content) : Self.inspect(encrypted: content, epoch: epoch, number: number)
            guard verdict == .pass else { return verdict }
        }
        return Self.hidesHandshake(datagram, besides: beginnings) ? .drop : .pass
    }

    private static func inspect(encrypted: ArraySlice<UInt8>, epoch: Int, number: Int) -> Verdict {
        epoch == 1 && number < maximumEncrypted && encrypted.count <= longestEncrypted ? .pass : .drop
    }

    /// Checks whether a handshake record header occurs anywhere except at the beginning of a record.
    ///
    /// If OpenSSL rejects the version or length of a record, it skips only the header and reads the content
    /// as the next record. The versions that it accepts change during the handshake. The four bytes compared
    /// here occur by chance in one of a million flights.
    private static func hidesHandshake(_ datagram: [UInt8], besides beginnings: Set<Int>) -> Bool {
        datagram.indices.dropLast(3).contains { index in
            guard datagram[index] == handshake, !beginnings.contains(index) else { return false }
            var header = ByteReader(datagram[(index + 1)...])
            guard let version = header.number(2), let epoch = header.number(1) else { return false }
            return versions.contains(version) && epoch == 0
        }
    }

    private mutating func inspect(messages content: ArraySlice<UInt8>) -> Verdict {
        var record = ByteReader(content)
        while !record.isEmpty {
            // RFC 6347 §4.2.2: type, length, message sequence number, fragment offset, fragment length.
            guard let type = record.number(1), let length = record.number(3), let sequence = record.number(2),
                let offset = record.number(3), let count = record.number(3),
                let fragment = record.bytes(count),
                offset + count <= length
            else { return .drop }
            let verdict = handle(fragment, at: offset, of: length, type: type, sequence: sequence)
            guard verdict == .pass else { return verdict }
        }
        return .pass
    }

    private mutating func handle(
        _ fragment: ArraySlice<UInt8>,
        at offset: Int,
        of length: Int,
        type: Int,
        sequence: Int
    ) -> Verdict {
        let known = types.updateValue(type, forKey: sequence)
        guard types.count <= Self.maximumMessages else {
            return .refuse("the peer sends too many handshake messages")
        }
        // OpenSSL uses the type of the fragment that arrives first.
        guard known == nil || known == type || known != Self.certificate && type != Self.certificate else {
            return .refuse("the fragments of its Certificate message contradict each other")
        }
        guard type == Self.certificate else { return .pass }
        if message == nil {
            guard let message = DTLSCertificateMessage(length: length) else {
                return .refuse(
                    "its certificates have \(length) bytes, at most \(DTLSCertificateMessage.longest) are allowed"
                )
            }
            self.message = (sequence, message)
        }
        guard message?.sequence == sequence, message?.1.length == length,
            message?.1.add(fragment, at: offset) == true
        else { return .refuse("the fragments of its Certificate message contradict each other") }
        return message?.1.objection.map(Verdict.refuse) ?? .pass
    }
}
