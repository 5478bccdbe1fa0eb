/// Looks into the DTLS packets that come, for a certificate that not every GStreamer 1.22 survives.
///
/// It reads as OpenSSL does, or refuses: records and messages that share a datagram, fragments in any order, and
/// those that come again.
struct DTLSInspection {
    enum Verdict: Hashable {
        case pass
        /// Nothing that a peer of ours would send.
        case drop
        /// The peer is hostile, and why; nothing of it may pass any more.
        case refuse(String)
    }

    /// Bytes of encrypted handshake records: several times what Finished takes, and not enough for a certificate of a
    /// renegotiation, which OpenSSL agrees to where the peer is the server.
    static let mostEncrypted = 576
    /// A handshake has fewer.
    private static let mostMessages = 32
    private static let handshake = 22
    private static let certificate = 11

    private var types: [Int: Int] = [:]
    private var message: (sequence: Int, DTLSCertificateMessage)?
    private var encrypted = 0

    /// Decides about a datagram whose first byte says that it is DTLS.
    mutating func inspect(_ datagram: [UInt8]) -> Verdict {
        var packet = ByteReader(datagram[...])
        while !packet.isEmpty {
            // RFC 6347 §4.1: type, version, epoch, sequence number, length.
            guard let type = packet.number(1), packet.bytes(2) != nil, let epoch = packet.number(2),
                packet.bytes(6) != nil, let length = packet.number(2), let content = packet.bytes(length)
            else { return .drop }
            guard type == Self.handshake else { continue }
            let verdict = epoch == 0 ? inspect(messages: content) : count(content)
            guard verdict == .pass else { return verdict }
        }
        return .pass
    }

    private mutating func count(_ encryptedRecord: ArraySlice<UInt8>) -> Verdict {
        guard encryptedRecord.count <= Self.mostEncrypted - encrypted else { return .drop }
        encrypted += encryptedRecord.count
        return .pass
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
