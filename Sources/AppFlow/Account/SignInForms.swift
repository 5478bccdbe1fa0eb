package import AccountsCore

/// The form for the phone.
package struct PhoneForm: Hashable, Sendable {
    /// The number in E.164 as far as it was entered; empty at first.
    package var number = ""
    /// Whether a number may have as many digits.
    package var isPossible = false
    /// The reason why the user has to sign in again, or why the server has refused the number.
    package var failure: AccountFailure?

    /// Whether the phone was verified too long ago for the registration that was begun.
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
    /// The digits that were entered, at most six.
    package private(set) var digits = ""
    package var failure: AccountFailure?
    /// The seconds until another code may be asked for.
    package var resendIn: Int

    /// The time in seconds within which a server sends no further code.
    static let pause = 30

    package init(phone: String, purpose: Purpose, resendIn: Int = CodeForm.pause) {
        (self.phone, self.purpose, self.resendIn) = (phone, purpose, resendIn)
    }

    package var isComplete: Bool { digits.count == AccountRules.codeLength }

    /// Enters digits; everything else in the text is ignored, so that a pasted message works.
    package mutating func enter(_ text: String) {
        let found = text.compactMap { $0.isASCII || $0.isNumber ? $0.wholeNumberValue : nil }
        let entered = String(found.prefix(AccountRules.codeLength).map { Character("\($0 % 10)") })
        if entered != digits { failure = nil }
        digits = entered
    }

    /// Clears a code that was refused.
    mutating func refuse(_ failure: AccountFailure) { (digits, self.failure) = ("", failure) }
}

/// The form for a new user.
package struct RegistrationForm: Hashable, Sendable {
    package let phone: String
    /// The proof that the phone was verified, if the server uses one.
    let token: Secret?
    package var name = ""
    package private(set) var username = ""
    /// Whether a character was typed last that a username cannot have.
    package private(set) var hasIgnored = false
    /// The reasons why the server has refused fields.
    package var refused: [AccountRules.Field: String] = [:]

    /// The longest text that is kept while it is typed, in characters.
    private static let longest = 200

    package init(phone: String, token: Secret?) { (self.phone, self.token) = (phone, token) }

    /// Creates the form with the texts of another one that was left for the same phone.
    init(phone: String, token: Secret?, like draft: RegistrationForm?) {
        self.init(phone: phone, token: token)
        guard let draft, draft.phone == phone else { return }
        (name, username) = (draft.name, draft.username)
    }

    package mutating func setName(_ text: String) {
        name = String(text.prefix(Self.longest))
        refused[.name] = nil
    }

    /// Sets the username without the characters that it cannot have.
    package mutating func setUsername(_ text: String) {
        let allowed = text.unicodeScalars.filter { $0.isASCII && AccountRules.isOfUsername(UInt8($0.value)) }
        let entered = String(String.UnicodeScalarView(allowed)).prefix(AccountRules.usernameLength.upperBound)
        hasIgnored = entered.count < text.count
        username = String(entered)
        refused[.username] = nil
    }

    /// The reason why a typed name cannot be used; nil for an empty one, which is not finished.
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
    /// Returns the problem that a check throws.
    static func problem(_ check: () throws(Problem) -> Void) -> Problem? {
        do throws(Problem) {
            try check()
            return nil
        } catch { return error }
    }
}
