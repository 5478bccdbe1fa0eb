/// Looks into the DTLS packets that come, for a certificate that not every GStreamer 1.22 survives.
///
/// It reads as OpenSSL does, or refuses: records and messages that share a datagram, fragments in any order, and
/// those that come again.
struct DTLSInspection {
    enum Verdict: Hashable {
        case pass
        /// Nothing that a peer of ours would send.
        case drop
        /// The peer is hostile, and why.
        case refuse(String)
    }

    /// In bytes; a flight that needs more is sent in several.
    static let longestDatagram = 4096
    /// Bytes of an encrypted handshake record, enough for Finished with any cipher.
    static let longestEncrypted = 96
    /// Encrypted handshake records, numbered from 0: Finished, and some repetitions of it.
    ///
    /// As OpenSSL takes each number once, that is not enough for a certificate of a renegotiation, which it agrees to
    /// where the peer is the server. What is forged cannot use a number up.
    static let mostEncrypted = 8
    /// A handshake has fewer.
    private static let mostMessages = 32
    /// From ChangeCipherSpec to application data; nobody uses heartbeats (RFC 6520).
    private static let contentTypes = 20...23
    private static let handshake = 22
    /// DTLS 1.2, and 1.0, with which a first hello comes (RFC 6347 §4.2.1).
    private static let versions = [0xFEFD, 0xFEFF]
    private static let certificate = 11

    private var types: [Int: Int] = [:]
    private var message: (sequence: Int, DTLSCertificateMessage)?

    /// Decides about a datagram whose first byte says that it is DTLS; what does not pass leaves no trace.
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
        epoch == 1 && number < mostEncrypted && encrypted.count <= longestEncrypted ? .pass : .drop
    }

    /// Whether what a handshake record begins with stands elsewhere than where a record begins.
    ///
    /// Of a record whose version or length it does not agree with, OpenSSL leaves out the header alone, and reads its
    /// content as the next record. The versions that it agrees with change as it goes. By chance these four bytes
    /// stand in one of a million flights.
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
            // RFC 6347 §4.2.2: type, length, message number, offset and length of the fragment.
            guard let type = record.number(1), let length = record.number(3), let sequence = record.number(2),
                let offset = record.number(3), let count = record.number(3),
                let fragment = record.bytes(count),
                offset + count <= length
            else { return .drop }
            let verdict = take(fragment, at: offset, of: length, type: type, sequence: sequence)
            guard verdict == .pass else { return verdict }
        }
        return .pass
    }

    private mutating func take(
        _ fragment: ArraySlice<UInt8>,
        at offset: Int,
        of length: Int,
        type: Int,
        sequence: Int
    ) -> Verdict {
        let known = types.updateValue(type, forKey: sequence)
        guard types.count <= Self.mostMessages else { return .refuse("it sends too many messages") }
        // OpenSSL goes by the type of the fragment that comes first.
        guard known == nil || known == type || known != Self.certificate && type != Self.certificate else {
            return .refuse("its certificate contradicts itself")
        }
        guard type == Self.certificate else { return .pass }
        if message == nil {
            guard let message = DTLSCertificateMessage(length: length) else {
                return .refuse(
                    "its certificates have \(length) bytes, \(DTLSCertificateMessage.longest) are allowed"
                )
            }
            self.message = (sequence, message)
        }
        guard message?.sequence == sequence, message?.1.length == length,
            message?.1.take(fragment, at: offset) == true
        else { return .refuse("its certificate contradicts itself") }
        return message?.1.objection.map(Verdict.refuse) ?? .pass
    }
}
