package import Basics

/// A person one can write to, as the list of people tells it.
package struct ChatPerson: Hashable, Sendable {
    /// The IDs of people without accounts.
    package static let guests = 100...999

    package var id: Int
    package var name: String
    package var status: String?
    package var isOnline: Bool
    /// The user name of an account, which is unique, as names are not; nil for people without an account.
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

    /// Returns somebody whom no list names, by the name of a guest.
    package static func unknown(_ id: Int, isOnline: Bool) -> ChatPerson {
        ChatPerson(id: id, name: guestName(id), isOnline: isOnline)
    }

    /// Returns the name of a person without an account.
    package static func guestName(_ id: Int) -> String { "Guest \(id)" }

    /// The user name as people read it.
    package var handle: String? { username.map { "@\($0)" } }

    /// The first letters of the first and the last word of the name; "??" without a name.
    package var initials: String {
        let words = name.split(whereSeparator: \.isWhitespace)
        guard let first = words.first?.first else { return "??" }
        let last = words.count > 1 ? words.last?.first : nil
        return (String(first) + (last.map { String($0) } ?? "")).uppercased()
    }
}

extension ChatPerson {
    /// The longest name and status that are read from a server, in characters.
    private static let longestText = 200

    /// Reads an entry of the list; unknown members are ignored.
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

    /// The entry of the list; that of a person without an account is as an original server writes it.
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
    /// Reads the answer to `GET /api/users`.
    ///
    /// - Throws: `ChatError.decodingFailed`.
    package init(listIn body: [UInt8]) throws(ChatError) {
        guard let items = (try? JSON(parsing: body))?.arrayValue else { throw .decodingFailed("list") }
        self = []
        for item in items { append(try ChatPerson(item)) }
    }

    /// The people in the order of the screen: those who are online first, then by name; without oneself.
    package func sorted(without own: Int) -> [ChatPerson] {
        filter { $0.id != own }.sorted { left, right in
            guard left.isOnline == right.isOnline else { return left.isOnline }
            let (first, second) = (left.name.lowercased(), right.name.lowercased())
            return (first, left.id) < (second, right.id)
        }
    }
}
