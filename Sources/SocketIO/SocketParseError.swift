/// Why what arrived is no Socket.IO 5 packet; the connection is closed then ("parse error").
package enum SocketParseError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknownType
    /// The number of attachments is none, or above `SocketDecoder.maximumAttachments`.
    case illegalAttachments
    case illegalAckID
    case invalidJSON(JSONError)
    /// The payload is not what this type of packet carries; a reserved event name too.
    case illegalPayload(SocketPacket.Kind)
    /// A placeholder names an attachment that there is not, or one already taken.
    case illegalPlaceholder
    /// A text arrived where an attachment is due.
    case attachmentExpected
    /// Bytes arrived that no packet announced.
    case unexpectedAttachment

    package var description: String {
        switch self {
        case .unknownType: "unknown packet type"
        case .illegalAttachments: "illegal number of attachments"
        case .illegalAckID: "illegal ack id"
        case .invalidJSON(let error): "invalid JSON: \(error)"
        case .illegalPayload(let kind): "illegal payload of a packet of type \(kind)"
        case .illegalPlaceholder: "illegal placeholder of an attachment"
        case .attachmentExpected: "text where an attachment is due"
        case .unexpectedAttachment: "an attachment that no packet announced"
        }
    }
}
