internal import Basics

/// A parser that reads the fields of a Socket.IO packet's text from left to right.
struct SocketHeader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    mutating func readType() throws(SocketParseError) -> SocketPacket.Kind {
        guard let digit = rest.popFirst(), let type = SocketPacket.Kind(rawValue: Int(digit) - 0x30) else {
            throw .unknownType
        }
        return type
    }

    /// Reads the number of attachments, which precedes the hyphen of a binary packet; returns 0 for other types.
    mutating func readAttachmentCount(of type: SocketPacket.Kind) throws(SocketParseError) -> Int {
        guard type == .binaryEvent || type == .binaryAck else { return 0 }
        let digits = readDigits()
        guard let count = Int(digits), count <= SocketDecoder.maximumAttachments,
            rest.popFirst() == UInt8(ascii: "-")
        else { throw .illegalAttachments }
        return count
    }

    mutating func readNamespace() -> String {
        guard rest.first == UInt8(ascii: "/") else { return "/" }
        let namespace = rest.prefix { $0 != UInt8(ascii: ",") }
        rest = rest[namespace.endIndex...].dropFirst()
        return Substring(namespace).streamSafe
    }

    mutating func readAckID() throws(SocketParseError) -> Int? {
        let digits = readDigits()
        if digits.isEmpty { return nil }
        guard let id = Int(digits) else { throw .illegalAckID }
        return id
    }

    func readPayload() throws(SocketParseError) -> JSON? {
        if rest.isEmpty { return nil }
        do {
            return try JSON(parsing: rest)
        } catch {
            throw .invalidJSON(error)
        }
    }

    private mutating func readDigits() -> Substring {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest[digits.endIndex...]
        return Substring(digits)
    }
}
