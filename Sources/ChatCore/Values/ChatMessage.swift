package import Basics

/// A message of a conversation between two people.
package struct ChatMessage: Hashable, Sendable {
    /// The ID assigned by the sender or the server; nil from an original server.
    package var id: String?
    /// The name of the sender.
    package var from: String
    package var to: String
    /// The ID of the sender; nil from an original server.
    package var fromID: Int?
    package var toID: Int?
    /// The text; empty if the message was deleted.
    package var text: String
    package var time: ChatTime
    /// Whether the message is an automatic reply.
    package var isAutomatic = false
    package var media: ChatMedia?
    /// The ID of the message to which this one replies.
    package var replyTo: String?
    package var isEdited = false
    package var isDeleted = false
    /// The IDs of the people who gave each reaction, in order.
    package var reactions: [ChatReaction: [Int]] = [:]

    package init(from: String, to: String, text: String, time: ChatTime) {
        (self.from, self.to, self.text, self.time) = (from, to, text, time)
    }

    /// A copy of the message with shortened text, for lists.
    package var preview: ChatMessage {
        guard text.unicodeScalars.count > ChatLimits.preview else { return self }
        var message = self
        message.text = String(text.unicodeScalars.prefix(ChatLimits.preview))
        return message
    }

    /// Determines whether the message was sent by a person, by the sender's ID or, if it has none, by the name.
    package func isFrom(_ person: Int, name: String?) -> Bool {
        if let fromID { return fromID == person }
        return from == name || from == String(person)
    }
}

extension ChatMessage {
    /// The maximum length of a name from a server, in characters; longer names are cut.
    private static let longestName = 200

    /// Parses a message; unknown members are ignored.
    ///
    /// - Throws: `ChatError.decodingFailed` with the name of a missing or invalid member.
    package init(_ json: JSON) throws(ChatError) {
        func text(_ field: String) throws(ChatError) -> String {
            guard let text = json[field]?.stringValue else { throw .decodingFailed(field) }
            return text
        }
        guard let time = ChatTime(try text("timestamp")) else { throw .decodingFailed("timestamp") }
        self.init(
            from: try text("from").printable(limit: Self.longestName),
            to: try text("to").printable(limit: Self.longestName),
            text: try text("message").bounded(bytes: ChatLimits.longestTextBytes),
            time: time
        )
        isAutomatic = json["auto"]?.boolValue ?? false
        id = json["id"]?.stringValue.flatMap { ChatLimits.isMessageID($0) ? $0 : nil }
        (fromID, toID) = (json["fromId"]?.intValue, json["toId"]?.intValue)
        if let value = json["media"], !value.isNull { media = try ChatMedia(value) }
        replyTo = json["replyTo"]?.stringValue.flatMap { ChatLimits.isMessageID($0) ? $0 : nil }
        isEdited = json["edited"]?.boolValue ?? false
        isDeleted = json["deleted"]?.boolValue ?? false
        for reaction in ChatReaction.allCases {
            let people = json["reactions"]?[reaction.rawValue]?.arrayValue?.prefix(2).compactMap(\.intValue)
            if let people, !people.isEmpty { reactions[reaction] = people }
        }
    }

    /// The members that the original protocol has, in the order that the original server uses.
    package var plainMembers: JSONObject {
        var members: JSONObject = [
            "from": .string(from), "to": .string(to), "message": .string(text),
            "timestamp": .string(time.description),
        ]
        if isAutomatic { members["auto"] = true }
        return members
    }

    /// The JSON object with all members.
    package var json: JSON {
        var members = plainMembers
        if let id { members["id"] = .string(id) }
        if let fromID { members["fromId"] = .int(fromID) }
        if let toID { members["toId"] = .int(toID) }
        if let media { members["media"] = media.json }
        if let replyTo { members["replyTo"] = .string(replyTo) }
        if isEdited { members["edited"] = true }
        if isDeleted { members["deleted"] = true }
        if !reactions.isEmpty { members["reactions"] = reactionsJSON }
        return .object(members)
    }

    private var reactionsJSON: JSON {
        var members: JSONObject = [:]
        for reaction in ChatReaction.allCases {
            guard let people = reactions[reaction], !people.isEmpty else { continue }
            members[reaction.rawValue] = .array(people.map { .int($0) })
        }
        return .object(members)
    }
}
