package import Basics

/// A change of a user's own profile; fields that are nil remain unchanged.
package struct ProfileChange: Hashable, Sendable {
    /// A new picture, or the removal of the picture.
    package enum Avatar: Hashable, Sendable {
        case removed
        /// A picture in JPEG, PNG or WebP with a file name, which the server stores only as a text.
        case picture(name: String, bytes: [UInt8])
    }

    package var name: String?
    /// The new birthday; `.some(nil)` removes it.
    package var birthday: CalendarDay??
    /// The new city; an empty text removes it, as for the texts below.
    package var city: String?
    package var vk: String?
    package var instagram: String?
    package var about: String?
    package var avatar: Avatar?

    package init() {}

    package var isEmpty: Bool { self == ProfileChange() }

    /// Returns a change that combines this one with a later one.
    package func followed(by later: ProfileChange) -> ProfileChange {
        var both = self
        both.name = later.name ?? name
        if let birthday = later.birthday { both.birthday = .some(birthday) }
        both.city = later.city ?? city
        both.vk = later.vk ?? vk
        both.instagram = later.instagram ?? instagram
        both.about = later.about ?? about
        both.avatar = later.avatar ?? avatar
        return both
    }

    /// Returns a profile with this change applied, except for a new picture, because only the server's answer contains
    /// its URL.
    package func applied(to profile: Profile) -> Profile {
        var changed = profile
        func optional(_ text: String) -> String? { text.isEmpty ? nil : text }
        if let name { changed.name = name }
        if let birthday { changed.birthday = birthday }
        if let city { changed.city = optional(city) }
        if let vk { changed.vk = optional(vk) }
        if let instagram { changed.instagram = optional(instagram) }
        if let about { changed.about = optional(about) }
        if avatar == .removed { changed.avatars = Profile.Avatars() }
        return changed
    }

    /// Returns the body of the request `PUT /api/v1/users/me/` that applies this change to a profile.
    ///
    /// It contains unchanged fields as well, because a server may clear fields that are absent; only the picture is
    /// absent if it does not change.
    package func json(changing profile: Profile) -> JSON {
        let changed = applied(to: profile)
        func optional(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
        var body: JSONObject = [
            "name": .string(changed.name), "username": .string(profile.username),
            "birthday": optional(changed.birthday?.description), "city": optional(changed.city),
            "vk": optional(changed.vk), "instagram": optional(changed.instagram),
            "status": optional(changed.about),
        ]
        switch avatar {
        case nil: break
        case .removed: body["avatar"] = ["filename": "", "base_64": ""]
        case .picture(let name, let bytes):
            body["avatar"] = ["filename": .string(name), "base_64": .string(Base64.encode(bytes))]
        }
        return .object(body)
    }
}

// A change that waits for the server is kept on disk.

extension ProfileChange {
    /// The change as JSON; unchanged fields are absent.
    package var json: JSON {
        var fields: JSONObject = [:]
        for (key, text) in [
            ("name", name), ("city", city), ("vk", vk), ("instagram", instagram), ("status", about),
        ] {
            if let text { fields[key] = .string(text) }
        }
        if let birthday { fields["birthday"] = birthday.map { .string($0.description) } ?? .null }
        switch avatar {
        case nil: break
        case .removed: fields["avatar"] = .null
        case .picture(let name, let bytes):
            fields["avatar"] = ["filename": .string(name), "base_64": .string(Base64.encode(bytes))]
        }
        return .object(fields)
    }

    /// Parses a change that was stored as JSON; fields of a wrong type count as absent.
    package init(_ json: JSON) {
        self.init()
        (name, city) = (json["name"]?.stringValue, json["city"]?.stringValue)
        (vk, instagram) = (json["vk"]?.stringValue, json["instagram"]?.stringValue)
        about = json["status"]?.stringValue
        if let kept = json["birthday"] { birthday = .some(kept.stringValue.flatMap { CalendarDay($0) }) }
        switch json["avatar"] {
        case .null?: avatar = .removed
        case let picture?:
            guard let text = picture["base_64"]?.stringValue, let bytes = Base64.decode(text) else { break }
            avatar = .picture(name: picture["filename"]?.stringValue ?? "", bytes: bytes)
        case nil: break
        }
    }
}

extension ProfileChange: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description without the user's data, which must not be logged.
    package var description: String { "change of a profile" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
