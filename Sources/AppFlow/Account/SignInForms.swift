package import AccountsCore

/// The form for the phone number.
package struct PhoneForm: Hashable, Sendable {
    /// The number in E.164 as far as it has been entered; initially empty.
    package var number = ""
    /// Whether the number has a possible length for its country.
    package var isPossible = false
    /// The reason why the user has to sign in again, or why the server has refused the number.
    package var failure: AccountFailure?

    /// Whether the phone was verified too long ago to complete the registration.
    package var isExpired = false

    package init(number: String = "", isPossible: Bool = false, failure: AccountFailure? = nil) {
        (self.number, self.isPossible, self.failure) = (number, isPossible, failure)
    }

    package var canProceed: Bool { isPossible }
}

/// The form for the code that was sent to a phone.
package struct CodeForm: Hashable, Sendable {
    /// The purpose of a code.
    package enum Purpose: Hashable, Sendable {
        case signIn, deletion
    }

    /// The number in E.164.
    package let phone: String
    package let purpose: Purpose
    /// The entered digits, at most six.
    package private(set) var digits = ""
    package var failure: AccountFailure?
    /// The number of seconds until another code can be requested.
    package var resendIn: Int

    /// The minimum interval in seconds between two codes that a server sends.
    static let pause = 30

    package init(phone: String, purpose: Purpose, resendIn: Int = CodeForm.pause) {
        (self.phone, self.purpose, self.resendIn) = (phone, purpose, resendIn)
    }

    package var isComplete: Bool { digits.count == AccountRules.codeLength }

    /// Enters the digits in a text; other characters are ignored, so that a whole message can be pasted.
    package mutating func enter(_ text: String) {
        let found = text.compactMap { $0.isASCII || $0.isNumber ? $0.wholeNumberValue : nil }
        let entered = String(found.prefix(AccountRules.codeLength).map { Character("\($0 % 10)") })
        if entered != digits { failure = nil }
        digits = entered
    }

    /// Clears a code that the server has refused.
    mutating func refuse(_ failure: AccountFailure) { (digits, self.failure) = ("", failure) }
}

/// The form for a new user.
package struct RegistrationForm: Hashable, Sendable {
    package let phone: String
    /// The proof that the phone was verified, if the server uses one.
    let token: Secret?
    package var name = ""
    package private(set) var username = ""
    /// Whether the last input contained a character that a username cannot have, or was too long.
    package private(set) var hasIgnored = false
    /// The server's reasons for refusing fields.
    package var refused: [AccountRules.Field: String] = [:]

    /// The maximum length of an entered name in characters; longer names are truncated.
    private static let longest = 200

    package init(phone: String, token: Secret?) { (self.phone, self.token) = (phone, token) }

    /// Creates a form, filled in from an unfinished registration if that is for the same phone.
    init(phone: String, token: Secret?, like draft: RegistrationForm?) {
        self.init(phone: phone, token: token)
        guard let draft, draft.phone == phone else { return }
        (name, username) = (draft.name, draft.username)
    }

    package mutating func setName(_ text: String) {
        name = String(text.prefix(Self.longest))
        refused[.name] = nil
    }

    /// Sets the username; characters that a username cannot have are dropped.
    package mutating func setUsername(_ text: String) {
        let allowed = text.unicodeScalars.filter { $0.isASCII && AccountRules.isOfUsername(UInt8($0.value)) }
        let entered = String(String.UnicodeScalarView(allowed)).prefix(AccountRules.usernameLength.upperBound)
        hasIgnored = entered.count < text.count
        username = String(entered)
        refused[.username] = nil
    }

    /// The reason why the entered name is invalid; nil if the name is valid or empty.
    package var nameProblem: AccountRules.Problem? {
        name.isEmpty ? nil : AccountRules.problem { () throws(AccountRules.Problem) in _ = try checkedName() }
    }

    func checkedName() throws(AccountRules.Problem) -> String { try AccountRules.text(name, of: .name) }

    package var canProceed: Bool {
        let problem = AccountRules.problem { () throws(AccountRules.Problem) in
            _ = (try checkedName(), try AccountRules.username(username))
        }
        return problem == nil
    }
}

extension AccountRules {
    /// Returns the problem that `check` throws; nil if it throws none.
    static func problem(_ check: () throws(Problem) -> Void) -> Problem? {
        do throws(Problem) {
            try check()
            return nil
        } catch { return error }
    }
}
