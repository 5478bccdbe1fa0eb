internal import Basics

/// A frame that a client of the extended protocol sends.
package enum ChatRequest: Hashable, Sendable {
    /// A message with text, a file or both; the client chooses the ID, so that a resent message is stored only once.
    case message(id: String, text: String, media: String?, replyTo: String?)
    case edit(id: String, text: String)
    case delete(id: String)
    case reaction(id: String, ChatReaction, isAdded: Bool)
    case typing
    /// The user has read all messages up to this one.
    case read(id: String)
    /// Requests the messages before the one with the ID `before`, or the newest ones if it is nil.
    case history(before: String?, limit: Int)
    /// Invites the other person to a call in a room.
    case call(room: Int)
    /// Ends an unanswered call in a room: the caller cancels it, or the other person declines.
    case hangUp(room: Int)
    /// The user has answered a call in a room, so that it stops ringing on the user's other devices.
    case answer(room: Int)
    /// Searches all conversations.
    case search(String)
    case block(person: Int)
    case unblock(person: Int)
    case report(person: Int, reason: String)
}

extension ChatRequest {
    /// The reason why a frame is refused.
    package struct Refusal: Error, Hashable, Sendable {
        package let code: String
        package let message: String
        /// The message ID or the room number that the frame names, if it is valid.
        package var reference: String?

        package init(_ code: String, _ message: String, reference: String? = nil) {
            (self.code, self.message, self.reference) = (code, message, reference)
        }
    }

    /// A request and the conversation that it names; `with` is set in frames to an inbox.
    package struct Envelope: Hashable, Sendable {
        package var request: ChatRequest
        package var with: Int?

        package init(_ request: ChatRequest, with: Int? = nil) { (self.request, self.with) = (request, with) }
    }

    private static let longestQuery = 200
    private static let longestReason = 1000
    private static let longestReasonBytes = 4000
}

extension ChatRequest.Envelope {
    /// Parses a frame; nil for an unknown type, which must be ignored.
    ///
    /// - Throws: `ChatRequest.Refusal`.
    package init?(_ frame: String) throws(ChatRequest.Refusal) {
        guard let json = try? JSON(parsing: frame), json.objectValue != nil else {
            throw .init("bad_frame", "the frame is not a JSON object")
        }
        guard let type = json["type"]?.stringValue else {
            throw .init("bad_frame", "the frame has no “type”")
        }
        guard let request = try ChatRequest(type.protocolWord, json) else { return nil }
        self.init(request, with: json["withId"]?.intValue)
    }

    package var text: String {
        var members = request.members
        if let with { members["withId"] = .int(with) }
        return JSON.object(members).serialized()
    }
}

extension ChatRequest {
    fileprivate init?(_ type: Substring, _ json: JSON) throws(Refusal) {
        switch type {
        case "message": self = try Self.message(json)
        case "edit": self = .edit(id: try Self.id(json), text: try Self.text(json, mayBeEmpty: false))
        case "delete": self = .delete(id: try Self.id(json))
        case "reaction": self = try Self.reaction(json)
        case "typing": self = .typing
        case "read": self = .read(id: try Self.id(json))
        case "history":
            let limit = json["limit"]?.intValue ?? ChatLimits.page
            let before = json["before"].map(\.isNull) ?? true ? nil : try Self.id(json, "before")
            self = .history(before: before, limit: min(max(limit, 1), ChatLimits.longestPage))
        case "call": self = .call(room: try Self.room(json))
        case "hangup": self = .hangUp(room: try Self.room(json))
        case "answer": self = .answer(room: try Self.room(json))
        case "search":
            let query = json["query"]?.stringValue ?? ""
            guard (1...Self.longestQuery).contains(query.count),
                query.utf8.count <= ChatLimits.longestQueryBytes
            else {
                throw Refusal("bad_query", "“query” must have 1 to \(Self.longestQuery) characters")
            }
            self = .search(query)
        case "block": self = .block(person: try Self.person(json))
        case "unblock": self = .unblock(person: try Self.person(json))
        case "report":
            self = .report(person: try Self.person(json), reason: Self.reason(json))
        default: return nil
        }
    }

    private static func room(_ json: JSON) throws(Refusal) -> Int {
        guard let room = json["room"]?.intValue, ChatLimits.rooms.contains(room) else {
            throw Refusal("bad_room", "“room” must be a number from 1 to \(ChatLimits.rooms.upperBound)")
        }
        return room
    }

    private static func message(_ json: JSON) throws(Refusal) -> ChatRequest {
        let id = try id(json)
        var media: String?
        if let value = json["media"], !value.isNull {
            guard let name = value["id"]?.stringValue, ChatLimits.isMediaID(name) else {
                throw Refusal("bad_media", "“media” must contain the ID of a file", reference: id)
            }
            media = name
        }
        let replyTo = json["replyTo"].map(\.isNull) ?? true ? nil : try Self.id(json, "replyTo")
        let text = try text(json, mayBeEmpty: media != nil, reference: id)
        return .message(id: id, text: text, media: media, replyTo: replyTo)
    }

    private static func reaction(_ json: JSON) throws(Refusal) -> ChatRequest {
        let id = try id(json)
        guard let reaction = ChatReaction(json["reaction"]) else {
            throw Refusal("bad_reaction", "this reaction is unknown", reference: id)
        }
        switch json["op"]?.stringValue?.protocolWord {
        case "add": return .reaction(id: id, reaction, isAdded: true)
        case "remove": return .reaction(id: id, reaction, isAdded: false)
        default: throw Refusal("bad_reaction", "“op” must be add or remove", reference: id)
        }
    }

    private static func id(_ json: JSON, _ field: String = "id") throws(Refusal) -> String {
        guard let id = json[field]?.stringValue, ChatLimits.isMessageID(id) else {
            throw Refusal("bad_id", "“\(field)” must have 1 to 64 letters, digits, hyphens or underscores")
        }
        return id
    }

    private static func text(
        _ json: JSON,
        mayBeEmpty: Bool,
        reference: String? = nil
    ) throws(Refusal) -> String {
        guard let text = json["message"]?.stringValue ?? (mayBeEmpty ? "" : nil) else {
            throw Refusal("bad_text", "“message” must be a string", reference: reference)
        }
        guard ChatLimits.allows(text) else {
            throw Refusal("too_long", ChatError.tooLong.message, reference: reference)
        }
        guard mayBeEmpty || !text.isBlank else {
            throw Refusal("empty", "the message is empty", reference: reference)
        }
        return text
    }

    private static func reason(_ json: JSON) -> String {
        let reason = String((json["reason"]?.stringValue ?? "").prefix(longestReason))
        return reason.bounded(bytes: longestReasonBytes)
    }

    private static func person(_ json: JSON) throws(Refusal) -> Int {
        guard let person = json["userId"]?.intValue, person > 0 else {
            throw Refusal("bad_person", "“userId” is missing or not a positive integer")
        }
        return person
    }

    fileprivate var members: JSONObject {
        switch self {
        case .message(let id, let text, let media, let replyTo):
            var members: JSONObject = [
                "type": "message", "id": .string(id), "message": .string(text),
            ]
            if let media { members["media"] = ["id": .string(media)] }
            if let replyTo { members["replyTo"] = .string(replyTo) }
            return members
        case .edit(let id, let text):
            return ["type": "edit", "id": .string(id), "message": .string(text)]
        case .delete(let id): return ["type": "delete", "id": .string(id)]
        case .reaction(let id, let reaction, let isAdded):
            return [
                "type": "reaction", "id": .string(id), "reaction": .string(reaction.rawValue),
                "op": .string(isAdded ? "add" : "remove"),
            ]
        case .typing: return ["type": "typing"]
        case .read(let id): return ["type": "read", "id": .string(id)]
        case .history(let before, let limit):
            return [
                "type": "history", "before": before.map { .string($0) } ?? .null, "limit": .int(limit),
            ]
        case .call(let room): return ["type": "call", "room": .int(room)]
        case .hangUp(let room): return ["type": "hangup", "room": .int(room)]
        case .answer(let room): return ["type": "answer", "room": .int(room)]
        case .search(let query): return ["type": "search", "query": .string(query)]
        case .block(let person): return ["type": "block", "userId": .int(person)]
        case .unblock(let person): return ["type": "unblock", "userId": .int(person)]
        case .report(let person, let reason):
            return ["type": "report", "userId": .int(person), "reason": .string(reason)]
        }
    }
}

extension ChatRequest {
    /// The message ID or the room number that the server names if it refuses the request; nil if there is none.
    package var reference: String? {
        switch self {
        case .message(let id, _, _, _), .edit(let id, _), .delete(let id), .reaction(let id, _, _),
            .read(let id):
            id
        case .history(let before, _): before
        case .call(let room): String(room)
        case .typing, .hangUp, .answer, .search, .block, .unblock, .report: nil
        }
    }
}

extension ChatRequest {
    /// Whether the user is notified if the request cannot be sent.
    var mattersToUser: Bool {
        switch self {
        case .typing, .read, .history, .hangUp, .answer: false
        case .message, .edit, .delete, .reaction, .call, .search, .block, .unblock, .report: true
        }
    }
}

extension String {
    /// Whether the text is empty or consists of white space.
    package var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
