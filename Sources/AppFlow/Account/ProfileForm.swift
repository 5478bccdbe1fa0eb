package import AccountsCore

/// The form for editing a profile; phone and username cannot be changed.
package struct ProfileForm: Equatable, Sendable {
    /// The profile before the changes.
    package let profile: Profile
    package private(set) var name: String
    package private(set) var city: String
    package private(set) var about: String
    /// The birthday as typed.
    package private(set) var birthday: String
    /// The change of the picture; `picture` is the decoded new picture.
    package private(set) var avatar: ProfileChange.Avatar?
    package private(set) var picture: UserPicture?
    /// The reason why the last chosen file or camera picture could not be used.
    package var pictureProblem: PictureProblem?
    /// The server's reasons for refusing fields.
    package var refused: [AccountRules.Field: String] = [:]

    /// The maximum length of an entered text in characters; longer texts are truncated.
    package static let longest = 2000

    package init(_ profile: Profile) {
        self.profile = profile
        (name, city) = (profile.name, profile.city ?? "")
        (about, birthday) = (profile.about ?? "", profile.birthday?.description ?? "")
    }

    package mutating func set(_ text: String, of field: AccountRules.Field) {
        let text = String(text.prefix(Self.longest))
        switch field {
        case .name: name = text
        case .city: city = text
        case .status: about = text
        case .birthday: birthday = text
        case .phone, .code, .username, .vk, .instagram, .avatar: return
        }
        refused[field] = nil
    }

    mutating func setPicture(_ bytes: [UInt8], _ picture: UserPicture?) {
        (avatar, self.picture) = (.picture(name: "avatar.jpg", bytes: bytes), picture)
        (pictureProblem, refused[.avatar]) = (nil, nil)
    }

    package mutating func removePicture() {
        (avatar, picture, pictureProblem) = (.removed, nil, nil)
        refused[.avatar] = nil
    }

    /// The typed birthday; nil if it is not a valid day.
    package var day: CalendarDay? { CalendarDay(typed: birthday) }

    // MARK: Problems

    /// Returns the reason why the client's rules do not allow a field to be saved; nil if they do.
    package func problem(of field: AccountRules.Field, today: CalendarDay) -> AccountRules.Problem? {
        AccountRules.problem { () throws(AccountRules.Problem) in
            switch field {
            case .name: _ = try AccountRules.text(name, of: .name)
            case .city: _ = try AccountRules.text(city, of: .city)
            case .status: _ = try AccountRules.text(about, of: .status)
            case .birthday:
                guard !birthday.isEmpty else { return }
                guard let numbers = CalendarDay.numbers(typed: birthday) else { throw .form }
                guard let day = CalendarDay(numbers) else { throw .noDay }
                _ = try AccountRules.birthday(day.description, today: today)
            case .phone, .code, .username, .vk, .instagram, .avatar: break
            }
        }
    }

    private static let fields: [AccountRules.Field] = [.name, .city, .status, .birthday]

    /// Returns the user's changes, which may be empty; nil if a field cannot be saved.
    package func change(today: CalendarDay) -> ProfileChange? {
        guard Self.fields.allSatisfy({ problem(of: $0, today: today) == nil }) else { return nil }
        func text(_ text: String, _ field: AccountRules.TextField, _ old: String?) -> String? {
            let new = (try? AccountRules.text(text, of: field)) ?? text
            return new == old ?? "" ? nil : new
        }
        var change = ProfileChange()
        change.name = text(name, .name, profile.name)
        change.city = text(city, .city, profile.city)
        change.about = text(about, .status, profile.about)
        if day != profile.birthday { change.birthday = .some(day) }
        change.avatar = avatar
        return change
    }

    package func canSave(today: CalendarDay) -> Bool { change(today: today).map { !$0.isEmpty } ?? false }

    /// Whether the form has unsaved changes.
    package var isChanged: Bool {
        let typed = (name, city, about, birthday)
        let old = (profile.name, profile.city ?? "", profile.about ?? "", profile.birthday?.description ?? "")
        return typed != old || avatar != nil
    }
}

extension CalendarDay {
    /// Parses a date in one of the formats `1990-05-01`, `01.05.1990` and `1/5/1990` (day first).
    package init?(typed text: String) {
        guard let numbers = Self.numbers(typed: text) else { return nil }
        self.init(numbers)
    }

    fileprivate init?(_ numbers: (year: Int, month: Int, day: Int)) {
        self.init(year: numbers.year, month: numbers.month, day: numbers.day)
    }

    /// Parses the numbers of a date, which may not exist in the calendar; nil if the text has another format.
    fileprivate static func numbers(typed text: String) -> (year: Int, month: Int, day: Int)? {
        let parts = text.split(omittingEmptySubsequences: true) { !$0.isASCII || !$0.isNumber }
        guard parts.count == 3, text.count <= 32 else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == 3 else { return nil }
        switch (parts[0].count, parts[2].count) {
        case (4, 1...2): return (numbers[0], numbers[1], numbers[2])
        case (1...2, 4): return (numbers[2], numbers[1], numbers[0])
        default: return nil
        }
    }
}
