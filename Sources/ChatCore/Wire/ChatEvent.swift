package import Basics

/// A frame that a server sends.
package enum ChatEvent: Hashable, Sendable {
    /// The first frame to a client of the extended protocol: the server's limits, and whether the server simulates the
    /// other person.
    case hello(JSONObject, isPeerSimulated: Bool = false)
    /// The newest messages, or those before the message `before` that the client named; `hasMore` is whether there are
    /// older ones.
    case history([ChatMessage], before: String?, hasMore: Bool)
    /// The conversations of a person, sent to an inbox.
    case conversations([ChatConversation])
    case message(ChatMessage)
    case edit(id: String, text: String, from: Int)
    case delete(id: String, from: Int)
    case reaction(id: String, ChatReaction, isAdded: Bool, from: Int)
    case typing(from: Int)
    /// A person has read all messages up to this one.
    case read(id: String, from: Int)
    /// All messages up to this one have reached a device of a person.
    case delivered(id: String, to: Int)
    case presence(person: Int, isOnline: Bool)
    case call(room: Int, from: Int)
    /// The IDs of the people whom the owner of the inbox blocks; sent after the conversations and after each change.
    case blocked([Int])
    /// The server has stored the user's report about a person.
    case reported(person: Int)
    /// An unanswered call in a room has ended.
    case hangUp(room: Int, from: Int)
    case found(query: String, [ChatMessage])
    /// A request was refused; `reference` is the message ID or room number that it named.
    case error(code: String, message: String, reference: String?)
}

/// A conversation in the list of an inbox.
package struct ChatConversation: Hashable, Sendable {
    /// The ID of the other person.
    package var with: Int
    package var last: ChatMessage?
    /// The number of messages that the owner of the inbox has not read.
    package var unread: Int

    package init(with: Int, last: ChatMessage?, unread: Int) {
        (self.with, self.last, self.unread) = (with, last, unread)
    }
}

/// An event and its conversation; `with` is set in frames to an inbox.
package struct ChatEventEnvelope: Hashable, Sendable {
    package var event: ChatEvent
    package var with: Int?

    package init(_ event: ChatEvent, with: Int? = nil) { (self.event, self.with) = (event, with) }
}

extension ChatEventEnvelope {
    /// Parses a frame; nil for an unknown type, which must be ignored.
    ///
    /// - Throws: `ChatError.decodingFailed` with the name of a missing or invalid member.
    package init?(_ frame: String) throws(ChatError) {
        guard let json = try? JSON(parsing: frame), let type = json["type"]?.stringValue else {
            throw .decodingFailed("type")
        }
        guard let event = try ChatEvent(type.protocolWord, json) else { return nil }
        self.init(event, with: json["withId"]?.intValue)
    }

    package var text: String {
        var members = event.members
        if let with { members["withId"] = .int(with) }
        return JSON.object(members).serialized()
    }
}

extension ChatEvent {
    fileprivate init?(_ type: Substring, _ json: JSON) throws(ChatError) {
        switch type {
        case "hello":
            let limits = json["limits"]?.objectValue ?? [:]
            self = .hello(limits, isPeerSimulated: json["isPeerSimulated"]?.boolValue ?? false)
        case "history":
            let before = json["before"]?.stringValue
            self = .history(
                try Self.messages(json),
                before: before,
                hasMore: json["more"]?.boolValue ?? false
            )
        case "conversations":
            guard let items = json["items"]?.arrayValue else { throw .decodingFailed("items") }
            var conversations: [ChatConversation] = []
            for item in items { conversations.append(try ChatConversation(item)) }
            self = .conversations(conversations)
        case "message":
            guard let item = json["item"] else { throw .decodingFailed("item") }
            self = .message(try ChatMessage(item))
        case "edit": self = .edit(id: try Self.id(json), text: try Self.text(json), from: try Self.from(json))
        case "delete": self = .delete(id: try Self.id(json), from: try Self.from(json))
        case "reaction":
            // An unknown reaction, which a newer server may send, is ignored.
            guard let reaction = ChatReaction(json["reaction"]) else {
                return nil
            }
            let isAdded = json["op"]?.stringValue?.protocolWord != "remove"
            self = .reaction(id: try Self.id(json), reaction, isAdded: isAdded, from: try Self.from(json))
        case "typing": self = .typing(from: try Self.from(json))
        case "read": self = .read(id: try Self.id(json), from: try Self.from(json))
        case "delivered": self = .delivered(id: try Self.id(json), to: try Self.number(json, "userId"))
        case "presence":
            guard let isOnline = json["isOnline"]?.boolValue else { throw .decodingFailed("isOnline") }
            self = .presence(person: try Self.number(json, "userId"), isOnline: isOnline)
        case "call":
            self = .call(room: try Self.number(json, "room", ChatLimits.rooms), from: try Self.from(json))
        case "hangup":
            self = .hangUp(room: try Self.number(json, "room", ChatLimits.rooms), from: try Self.from(json))
        case "blocked":
            guard let people = json["userIds"]?.arrayValue else { throw .decodingFailed("userIds") }
            self = .blocked(people.prefix(Self.mostBlocked).compactMap(\.intValue))
        case "report": self = .reported(person: try Self.number(json, "userId"))
        case "search":
            self = .found(
                query: (json["query"]?.stringValue ?? "").bounded(bytes: ChatLimits.longestQueryBytes),
                try Self.messages(json)
            )
        case "error":
            self = .error(
                code: String(json["code"]?.stringValue?.protocolWord ?? ""),
                message: (json["message"]?.stringValue ?? "").printable(limit: Self.longestError),
                reference: json["ref"]?.stringValue.flatMap { ChatLimits.isMessageID($0) ? $0 : nil }
            )
        default: return nil
        }
    }

    private static let longestError = 300
    private static let mostBlocked = 10_000

    private static func messages(_ json: JSON) throws(ChatError) -> [ChatMessage] {
        guard let items = json["items"]?.arrayValue else { throw .decodingFailed("items") }
        var messages: [ChatMessage] = []
        messages.reserveCapacity(items.count)
        for item in items { messages.append(try ChatMessage(item)) }
        return messages
    }

    private static func id(_ json: JSON) throws(ChatError) -> String {
        guard let id = json["id"]?.stringValue, ChatLimits.isMessageID(id) else {
            throw .decodingFailed("id")
        }
        return id
    }

    private static func text(_ json: JSON) throws(ChatError) -> String {
        guard let text = json["message"]?.stringValue else { throw .decodingFailed("message") }
        return text.bounded(bytes: ChatLimits.longestTextBytes)
    }

    private static func from(_ json: JSON) throws(ChatError) -> Int { try number(json, "fromId") }

    private static func number(
        _ json: JSON,
        _ field: String,
        _ range: ClosedRange<Int> = 1 ... .max
    ) throws(ChatError) -> Int {
        guard let number = json[field]?.intValue, range.contains(number) else { throw .decodingFailed(field) }
        return number
    }

    fileprivate var members: JSONObject {
        switch self {
        case .hello(let limits, let isPeerSimulated):
            var members: JSONObject = ["type": "hello", "v": 2, "limits": .object(limits)]
            if isPeerSimulated { members["isPeerSimulated"] = true }
            return members
        case .history(let messages, let before, let hasMore):
            var members: JSONObject = ["type": "history", "items": .array(messages.map(\.json))]
            if let before { members["before"] = .string(before) }
            members["more"] = .bool(hasMore)
            return members
        case .conversations(let conversations):
            return ["type": "conversations", "items": .array(conversations.map(\.json))]
        case .message(let message): return ["type": "message", "item": message.json]
        case .edit(let id, let text, let from):
            return ["type": "edit", "id": .string(id), "message": .string(text), "fromId": .int(from)]
        case .delete(let id, let from): return ["type": "delete", "id": .string(id), "fromId": .int(from)]
        case .reaction(let id, let reaction, let isAdded, let from):
            return [
                "type": "reaction", "id": .string(id), "reaction": .string(reaction.rawValue),
                "op": .string(isAdded ? "add" : "remove"), "fromId": .int(from),
            ]
        case .typing(let from): return ["type": "typing", "fromId": .int(from)]
        case .read(let id, let from): return ["type": "read", "id": .string(id), "fromId": .int(from)]
        case .delivered(let id, let to):
            return ["type": "delivered", "id": .string(id), "userId": .int(to)]
        case .presence(let person, let isOnline):
            return ["type": "presence", "userId": .int(person), "isOnline": .bool(isOnline)]
        case .call(let room, let from): return ["type": "call", "room": .int(room), "fromId": .int(from)]
        case .blocked(let people):
            return ["type": "blocked", "userIds": .array(people.map { .int($0) })]
        case .reported(let person): return ["type": "report", "userId": .int(person)]
        case .hangUp(let room, let from):
            return ["type": "hangup", "room": .int(room), "fromId": .int(from)]
        case .found(let query, let messages):
            return ["type": "search", "query": .string(query), "items": .array(messages.map(\.json))]
        case .error(let code, let message, let reference):
            return [
                "type": "error", "code": .string(code), "message": .string(message),
                "ref": reference.map { .string($0) } ?? .null,
            ]
        }
    }
}

extension ChatConversation {
    fileprivate init(_ json: JSON) throws(ChatError) {
        guard let with = json["withId"]?.intValue, with > 0 else { throw .decodingFailed("withId") }
        var last: ChatMessage?
        if let value = json["last"], !value.isNull { last = try ChatMessage(value) }
        let unread = min(max(json["unread"]?.intValue ?? 0, 0), ChatLimits.unread)
        self.init(with: with, last: last?.preview, unread: unread)
    }

    fileprivate var json: JSON {
        ["withId": .int(with), "last": last?.json ?? .null, "unread": .int(unread)]
    }
}
