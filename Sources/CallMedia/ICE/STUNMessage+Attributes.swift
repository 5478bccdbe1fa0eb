internal import CallCore

extension STUNMessage {
    /// The code, 300…699, and reason of an error (RFC 8489 §14.8).
    var error: (code: Int, reason: String)? {
        guard let value = attributes[.errorCode], value.count >= 4 else { return nil }
        let code = Int(value[2] & 7) * 100 + Int(value[3])
        return (code, String(decoding: value.dropFirst(4).prefix(128), as: UTF8.self).printable())
    }

    /// Returns address and port of an XOR-encoded attribute (RFC 8489 §14.2), such as `192.0.2.1:5`.
    func address(_ attribute: Attribute) -> String? {
        guard let value = attributes[attribute], value.count == 8 || value.count == 20 else { return nil }
        let mask: [UInt8] = [0x21, 0x12, 0xA4, 0x42] + transaction
        let plain = zip(value[4...], mask).map { $0 ^ $1 }
        let port = Int(value[2] ^ mask[0]) << 8 | Int(value[3] ^ mask[1])
        guard plain.count == 4 else {
            let groups = stride(from: 0, to: 16, by: 2).map {
                String(Int(plain[$0]) << 8 | Int(plain[$0 + 1]), radix: 16)
            }
            return "[\(groups.joined(separator: ":"))]:\(port)"
        }
        return "\(plain.map(String.init).joined(separator: ".")):\(port)"
    }
}
