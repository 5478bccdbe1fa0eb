package import Basics

/// A user's profile as stored by the server.
package struct Profile: Hashable, Sendable {
    /// The locations of a user's picture in three sizes: paths below the server's base URL, or absolute URLs.
    package struct Avatars: Hashable, Sendable {
        package var normal: String?
        package var big: String?
        package var small: String?

        package init(normal: String? = nil, big: String? = nil, small: String? = nil) {
            (self.normal, self.big, self.small) = (normal, big, small)
        }
    }

    package var id: Int
    package var phone: String
    package var name: String
    package var username: String
    package var birthday: CalendarDay?
    package var city: String?
    package var vk: String?
    package var instagram: String?
    /// The user's self-description, called `status` in the API.
    package var about: String?
    package var avatars = Avatars()
    package var isOnline = false
    /// The time at which the user was last active.
    package var last: Timestamp?
    package var created: Timestamp?
    package var completedTasks: Int?

    package init(id: Int, phone: String, name: String, username: String) {
        (self.id, self.phone, self.name, self.username) = (id, phone, name, username)
    }

    package var zodiacSign: ZodiacSign? { birthday.map { ZodiacSign($0) } }
}

extension Profile {
    /// The maximum length of a phone number in characters; a server may write it with spaces.
    private static let longestPhone = 32

    /// Parses the answer to `GET /api/v1/users/me/`; nil if a required field is missing.
    ///
    /// Values of the wrong type, and dates that do not exist, count as missing. Texts are cut to the maximum lengths.
    package init?(_ answer: JSON) {
        let data = answer["profile_data"]
        guard let id = data?["id"]?.intValue, let phone = data?["phone"]?.stringValue,
            let name = data?["name"]?.stringValue, let username = data?["username"]?.stringValue
        else { return nil }
        self.init(
            id: id,
            phone: AccountRules.beginning(of: phone, maximum: Self.longestPhone),
            name: AccountRules.beginning(of: name, maximum: AccountRules.TextField.name.maximum),
            username: AccountRules.beginning(of: username, maximum: AccountRules.usernameLength.upperBound)
        )
        func text(_ key: String) -> String? { data?[key]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
        birthday = text("birthday").flatMap { CalendarDay($0) }
        func entered(_ field: AccountRules.TextField) -> String? {
            text(field.rawValue).map { AccountRules.beginning(of: $0, maximum: field.maximum) }
        }
        (city, vk, instagram, about) = (entered(.city), entered(.vk), entered(.instagram), entered(.status))
        avatars = data?["avatars"].flatMap { Avatars($0) } ?? Avatars()
        avatars.normal = avatars.normal ?? text("avatar").flatMap(Avatars.path)
        isOnline = data?["online"]?.boolValue ?? false
        (last, created) = (text("last").flatMap(Self.time), text("created").flatMap(Self.time))
        completedTasks = data?["completed_task"]?.intValue
    }

    /// Parses a time; without a time zone, it is taken as UTC.
    private static func time(_ text: String) -> Timestamp? { Timestamp(text) ?? Timestamp("\(text)Z") }

    /// The JSON answer to `GET /api/v1/users/me/`.
    package var json: JSON {
        func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
        let data: JSON = [
            "name": .string(name), "username": .string(username), "birthday": text(birthday?.description),
            "city": text(city), "vk": text(vk), "instagram": text(instagram), "status": text(about),
            "avatar": text(avatars.normal), "id": .int(id), "last": text(last?.description),
            "online": .bool(isOnline), "created": text(created?.description), "phone": .string(phone),
            "completed_task": completedTasks.map { .int($0) } ?? .null, "avatars": avatars.json,
        ]
        return ["profile_data": data]
    }
}

extension Profile.Avatars {
    /// The maximum length of a path in bytes; a longer one is ignored, because a cut path would be wrong.
    private static let longestPath = 2048

    fileprivate static func path(_ text: String) -> String? {
        text.isEmpty || text.utf8.count > longestPath ? nil : text
    }

    /// Parses the locations of a picture in a profile; nil if there are none.
    package init?(_ json: JSON) {
        func path(_ key: String) -> String? { json[key]?.stringValue.flatMap(Self.path) }
        self.init(normal: path("avatar"), big: path("bigAvatar"), small: path("miniAvatar"))
        guard self != Self() else { return nil }
    }

    /// Parses the answer to a change of the profile; nil if it contains no picture locations.
    ///
    /// The answer may be the locations, an object with the locations as `avatars`, null, or an empty body.
    package init?(changeAnswer body: [UInt8]) {
        guard let json = try? JSON(parsing: body) else { return nil }
        self.init(json["avatars"] ?? json)
    }

    /// The locations in the form of the API; null if there are none.
    package var json: JSON {
        guard self != Profile.Avatars() else { return .null }
        func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
        return ["avatar": text(normal), "bigAvatar": text(big), "miniAvatar": text(small)]
    }
}

extension Profile: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description without the user's data, which must not be logged.
    package var description: String { "profile of user \(id)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
