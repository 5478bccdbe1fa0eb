package import AccountsCore

/// The form for editing a profile; phone and username cannot be changed.
package struct ProfileForm: Equatable, Sendable {
    /// The profile before the editing.
    package let profile: Profile
    package private(set) var name: String
    package private(set) var city: String
    package private(set) var about: String
    /// The birthday as typed.
    package private(set) var birthday: String
    /// The change of the picture, and the new picture as it is shown.
    package private(set) var avatar: ProfileChange.Avatar?
    package private(set) var picture: UserPicture?
    /// The reason why the last chosen file is no picture.
    package var pictureProblem: PictureProblem?
    /// The reasons why the server has refused fields.
    package var refused: [AccountRules.Field: String] = [:]

    /// The longest text that is kept while it is typed, in characters.
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

    /// The day that was typed; nil if it is none.
    package var day: CalendarDay? { CalendarDay(typed: birthday) }

    // MARK: Problems

    /// Returns the reason why a field cannot be saved, by our own rules.
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

    /// Returns the change that the user has made; nil if a field cannot be saved, empty without a change.
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

    /// Whether leaving would lose something.
    package var isChanged: Bool {
        let typed = (name, city, about, birthday)
        let old = (profile.name, profile.city ?? "", profile.about ?? "", profile.birthday?.description ?? "")
        return typed != old || avatar != nil
    }
}

extension CalendarDay {
    /// Reads a day as people type it: `1990-05-01`, `01.05.1990` or `1/5/1990`, the day first.
    package init?(typed text: String) {
        guard let numbers = Self.numbers(typed: text) else { return nil }
        self.init(numbers)
    }

    fileprivate init?(_ numbers: (year: Int, month: Int, day: Int)) {
        self.init(year: numbers.year, month: numbers.month, day: numbers.day)
    }

    /// Reads the numbers of a date, of which there may be no day; nil for another text.
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
