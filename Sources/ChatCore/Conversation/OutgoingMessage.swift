package import Basics

/// A message of the user that the server has not confirmed.
package struct OutgoingMessage: Hashable, Sendable {
    /// The ID that this client gave to the message.
    package let id: String
    package let text: String
    package var media: ChatMedia?
    package var replyTo: String?
    /// The time at which the user sent the message.
    package let time: ChatTime
    /// The reason why the message has failed and is sent again only at the user's request; nil while it is to be sent.
    package var failure: ChatError?
    /// The number of the connection on which the message was last sent.
    var sentBy: Int?

    package init(id: String, text: String, media: ChatMedia? = nil, replyTo: String? = nil, time: ChatTime) {
        (self.id, self.text, self.media, self.replyTo, self.time) = (id, text, media, replyTo, time)
    }

    /// Creates an ID for a new message: 128 random bits in hexadecimal.
    package static func newID() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(UInt64.random(in: 0 ... .max, using: &random), radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }

    var request: ChatRequest { .message(id: id, text: text, media: media?.id, replyTo: replyTo) }

    func notSent(_ error: ChatError) -> ConversationReport {
        .notSent(key: id, text: text, isTextOnly: media == nil && replyTo == nil, error)
    }
}

extension OutgoingMessage {
    /// Parses a stored message; nil if it is invalid.
    package init?(_ json: JSON) {
        guard let id = json["id"]?.stringValue, ChatLimits.isMessageID(id),
            let text = json["message"]?.stringValue, ChatLimits.allows(text),
            let time = json["timestamp"]?.stringValue.flatMap({ ChatTime($0) })
        else { return nil }
        let media = json["media"].flatMap { try? ChatMedia($0) }
        self.init(id: id, text: text, media: media, replyTo: json["replyTo"]?.stringValue, time: time)
        if json["isNotSent"]?.boolValue == true { failure = .notConnected }
    }

    package var json: JSON {
        var members: JSONObject = [
            "id": .string(id), "message": .string(text), "timestamp": .string(time.description),
        ]
        if let media { members["media"] = media.json }
        if let replyTo { members["replyTo"] = .string(replyTo) }
        if failure != nil { members["isNotSent"] = true }
        return .object(members)
    }
}
