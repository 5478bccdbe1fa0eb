package import Basics

/// The reason why a message is not a valid Socket.IO 5 packet; the error ends the connection.
package enum SocketParseError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknownType
    /// The number of attachments is missing, malformed or above `SocketDecoder.maximumAttachments`.
    case illegalAttachments
    case illegalAckID
    case invalidJSON(JSONError)
    /// The payload does not match the packet's type, or the event's name is reserved.
    case illegalPayload(SocketPacket.Kind)
    /// A placeholder refers to a missing or already used attachment.
    case illegalPlaceholder
    /// A text message arrived instead of an expected attachment.
    case attachmentExpected
    /// A binary message arrived although no packet announced an attachment.
    case unexpectedAttachment

    package var description: String {
        switch self {
        case .unknownType: "unknown packet type"
        case .illegalAttachments: "illegal number of attachments"
        case .illegalAckID: "illegal ack id"
        case .invalidJSON(let error): "invalid JSON: \(error)"
        case .illegalPayload(let kind): "illegal payload of a packet of type \(kind)"
        case .illegalPlaceholder: "illegal placeholder of an attachment"
        case .attachmentExpected: "text instead of an attachment"
        case .unexpectedAttachment: "unexpected attachment"
        }
    }
}
