internal import AccountsCore
internal import Basics
internal import Hummingbird

/// A requested change of a profile.
struct WantedProfile {
    enum Avatar {
        case removed
        case picture(UserTable.Picture)
    }

    /// The maximum length of the request's body in bytes.
    static let maximumBody = 7 << 20
    /// The maximum width and height of a picture in pixels.
    static let maximumSide = 4096
    /// The maximum length in characters of a stored file name; a longer one is cut.
    private static let longestFilename = 255

    private let name: String?
    private let birthday: CalendarDay??
    private let city: String??
    private let vk: String??
    private let instagram: String??
    private let about: String??
    let avatar: Avatar?

    /// Reads a change of `profile`; the username must not change.
    ///
    /// - Throws: `AccountRefusal` if a field is invalid; errors of the connection.
    init(_ request: Request, of profile: Profile, today: CalendarDay?) async throws {
        var fields = try await FieldReader(request, maximum: Self.maximumBody)
        name =
            fields.has("name")
            ? fields.required(.name) { (text) throws(AccountRules.Problem) in
                try AccountRules.text(text, of: .name)
            } : nil
        birthday = fields.optional(.birthday) { (text) throws(AccountRules.Problem) in
            guard let today else { throw .range }
            return try AccountRules.birthday(text, today: today)
        }
        city = Self.text(.city, .city, &fields)
        vk = Self.text(.vk, .vk, &fields)
        instagram = Self.text(.instagram, .instagram, &fields)
        about = Self.text(.status, .status, &fields)
        if fields.has("username"), fields.plain("username") != profile.username {
            fields.fail("username", "the username cannot be changed")
        }
        avatar = try Self.avatar(&fields)
        try fields.check()
    }

    private static func text(
        _ field: AccountRules.Field,
        _ rule: AccountRules.TextField,
        _ fields: inout FieldReader
    ) -> String?? {
        let read = fields.optional(field) { (text) throws(AccountRules.Problem) in
            try AccountRules.text(text, of: rule)
        }
        guard let text = read else { return nil }
        // White space alone clears a text, too.
        return .some(text == "" ? nil : text)
    }

    private static func avatar(_ fields: inout FieldReader) throws(AccountRefusal) -> Avatar? {
        guard fields.has("avatar") else { return nil }
        guard !fields.isEmpty("avatar") else { return .removed }
        guard let avatar = fields.object("avatar") else {
            fields.fail("avatar", "the picture is not an object", kind: "model_type")
            return nil
        }
        guard let encoded = avatar["base_64"]?.stringValue else {
            fields.fail("avatar", "base_64 is required", kind: "missing")
            return nil
        }
        guard !encoded.isEmpty else { return .removed }
        guard encoded.utf8.count <= (AccountRules.maximumPicture + 2) / 3 * 4 else {
            throw .tooLarge("the picture has more than \(AccountRules.maximumPicture) bytes")
        }
        guard let bytes = Base64.decode(encoded) else {
            fields.fail("avatar", "“base_64” is not valid Base64")
            return nil
        }
        guard bytes.count <= AccountRules.maximumPicture else {
            throw .tooLarge("the picture has more than \(AccountRules.maximumPicture) bytes")
        }
        guard let header = PictureHeader(bytes) else {
            fields.fail("avatar", "the picture is not in JPEG, PNG or WebP")
            return nil
        }
        guard max(header.width, header.height) <= maximumSide else {
            fields.fail("avatar", "the picture is larger than \(maximumSide) × \(maximumSide) pixels")
            return nil
        }
        let filename = (avatar["filename"]?.stringValue ?? "").printable(limit: longestFilename)
        return .picture(UserTable.Picture(type: header.kind.rawValue, bytes: bytes, filename: filename))
    }

    /// Returns a profile with this change applied, except for the picture, which is stored separately.
    func applied(to profile: Profile) -> Profile {
        var changed = profile
        if let name { changed.name = name }
        if let birthday { changed.birthday = birthday }
        if let city { changed.city = city }
        if let vk { changed.vk = vk }
        if let instagram { changed.instagram = instagram }
        if let about { changed.about = about }
        return changed
    }
}
