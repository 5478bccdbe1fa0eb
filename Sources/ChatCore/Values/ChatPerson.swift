package import Basics

/// A person in the server's list, to whom the user can write.
package struct ChatPerson: Hashable, Sendable {
    /// The range of IDs for people without accounts.
    package static let guests = 100...999

    package var id: Int
    package var name: String
    package var status: String?
    package var isOnline: Bool
    /// The unique username of an account; nil for people without an account.
    package var username: String?

    package init(
        id: Int,
        name: String,
        status: String? = nil,
        isOnline: Bool = false,
        username: String? = nil
    ) {
        (self.id, self.name, self.status, self.isOnline) = (id, name, status, isOnline)
        self.username = username
    }

    /// Returns a person who is not in the list, with a guest name.
    package static func unknown(_ id: Int, isOnline: Bool) -> ChatPerson {
        ChatPerson(id: id, name: guestName(id), isOnline: isOnline)
    }

    /// Returns the name for a person without an account.
    package static func guestName(_ id: Int) -> String { "Guest \(id)" }

    /// Returns a person whose account was deleted.
    package static func deleted(_ id: Int) -> ChatPerson { ChatPerson(id: id, name: deletedName) }

    /// The name of people whose accounts were deleted.
    package static let deletedName = "Deleted account"

    /// Whether the account of the person was deleted; accounts have usernames.
    package var isDeleted: Bool { id > Self.guests.upperBound && name == Self.deletedName && username == nil }

    /// The username as displayed, with a leading `@`.
    package var handle: String? { username.map { "@\($0)" } }

    /// The initials of the first and the last word of the name; "??" without a name.
    package var initials: String {
        let words = name.split(whereSeparator: \.isWhitespace)
        guard let first = words.first?.first else { return "??" }
        let last = words.count > 1 ? words.last?.first : nil
        return (String(first) + (last.map { String($0) } ?? "")).uppercased()
    }
}

extension ChatPerson {
    /// The maximum length of a name, username or status from a server, in characters; longer texts are cut.
    private static let longestText = 200

    /// Parses an entry of the list; unknown members are ignored.
    ///
    /// - Throws: `ChatError.decodingFailed` if a required member is missing.
    package init(_ json: JSON) throws(ChatError) {
        guard let id = json["id"]?.intValue, id > 0 else { throw .decodingFailed("id") }
        guard let name = json["name"]?.stringValue else { throw .decodingFailed("name") }
        guard let isOnline = json["isOnline"]?.boolValue else { throw .decodingFailed("isOnline") }
        let status = json["status"]?.stringValue?.printable(limit: Self.longestText)
        let username = json["username"]?.stringValue?.printable(limit: Self.longestText) ?? ""
        self.init(
            id: id,
            name: name.printable(limit: Self.longestText),
            status: status,
            isOnline: isOnline,
            username: username.isEmpty ? nil : username
        )
    }

    /// The JSON entry in the list; for a person without an account, it is the same as that of an original server.
    package var json: JSON {
        var members = JSONObject([
            ("id", .int(id)), ("name", .string(name)), ("status", status.map { .string($0) } ?? .null),
            ("isOnline", .bool(isOnline)),
        ])
        members["username"] = username.map { .string($0) }
        return .object(members)
    }
}

extension [ChatPerson] {
    /// Parses the answer to `GET /api/users`.
    ///
    /// - Throws: `ChatError.decodingFailed`.
    package init(listIn body: [UInt8]) throws(ChatError) {
        guard let items = (try? JSON(parsing: body))?.arrayValue else { throw .decodingFailed("list") }
        self = []
        for item in items { append(try ChatPerson(item)) }
    }

    /// Returns the people in display order, online people first and then by name, without the user `own`.
    package func sorted(without own: Int) -> [ChatPerson] {
        filter { $0.id != own }.sorted { left, right in
            guard left.isOnline == right.isOnline else { return left.isOnline }
            let (first, second) = (left.name.lowercased(), right.name.lowercased())
            return (first, left.id) < (second, right.id)
        }
    }
}
