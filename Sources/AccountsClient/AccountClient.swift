package import AccountsCore
internal import Basics

/// A client of the account API, for signing in and for the user's own account.
package struct AccountClient: Sendable {
    private static let root = "api/v1/users"

    package let session: AccountSession
    private let transport: any AccountTransport
    private let now: @Sendable () -> Duration

    package init(
        _ session: AccountSession,
        _ transport: any AccountTransport,
        now: @escaping @Sendable () -> Duration = AccountSession.steadyTime
    ) {
        (self.session, self.transport, self.now) = (session, transport, now)
    }

    // MARK: Signing in

    /// Requests a code, which the server sends to the phone.
    ///
    /// - Throws: `AccountFailure`.
    package func sendCode(to phone: String) async throws(AccountFailure) {
        let sent = try await open("send-auth-code/", ["phone": .string(phone)])
        // A server with accounts answers no such request with 404 or 405.
        if [404, 405, 501].contains(sent.status) {
            throw AccountFailure(.noAccounts, "the server has no accounts (HTTP status \(sent.status))")
        }
        let answer = try json(sent)
        guard answer?["is_success"] != false else {
            throw AccountFailure(.refused, "the server has not sent the code")
        }
    }

    /// Sends a code that the user has entered, and signs in if the phone is registered.
    ///
    /// - Throws: `AccountFailure`.
    package func check(_ code: String, of phone: String) async throws(AccountFailure) -> CodeCheck {
        let asked = now()
        let answer = try await json(
            open("check-auth-code/", ["phone": .string(phone), "code": .string(code)])
        )
        guard let check = answer.flatMap({ CodeCheck($0) }) else { throw Self.unclear }
        if case .signedIn(let tokens) = check { await session.signIn(tokens, asked: asked) }
        return check
    }

    /// Registers a user whose phone was verified, and signs in.
    ///
    /// - Throws: `AccountFailure`.
    package func register(
        _ phone: String,
        name: String,
        username: String,
        token: Secret?
    ) async throws(AccountFailure) {
        var body: JSONObject = [
            "phone": .string(phone), "name": .string(name), "username": .string(username),
        ]
        // A server without registration tokens may refuse the unknown field.
        if let token { body["registration_token"] = .string(token.value) }
        let asked = now()
        let answer = try await json(open("register/", .object(body)))
        guard let tokens = answer.flatMap({ AccountTokens($0) }) else { throw Self.unclear }
        await session.signIn(tokens, asked: asked)
    }

    private func open(_ path: String, _ body: JSON) async throws(AccountFailure) -> AccountAnswer {
        try await transport.send(AccountRequest("POST", "\(Self.root)/\(path)", body), token: nil)
    }

    // MARK: The signed-in user

    /// Fetches the user's own profile.
    ///
    /// - Throws: `AccountFailure`.
    package func profile() async throws(AccountFailure) -> Profile {
        guard let profile = try await json(send("GET", "me/")).flatMap({ Profile($0) }) else {
            throw Self.unclear
        }
        return profile
    }

    /// Changes the user's own profile.
    ///
    /// - Returns: The changed profile.
    /// - Throws: `AccountFailure`.
    package func change(_ profile: Profile, by change: ProfileChange) async throws(AccountFailure) -> Profile
    {
        let answer = try await send("PUT", "me/", change.json(changing: profile), user: profile.id)
        guard answer.isSuccess else { throw answer.failure }
        var changed = change.applied(to: profile)
        if let avatars = Profile.Avatars(changeAnswer: answer.body) { changed.avatars = avatars }
        return changed
    }

    /// Fetches the sessions of the user.
    ///
    /// - Throws: `AccountFailure`.
    package func signIns() async throws(AccountFailure) -> [SignIn] {
        guard let list = try await json(send("GET", "sessions/"))?["sessions"]?.arrayValue else {
            throw Self.unclear
        }
        return list.compactMap { SignIn($0) }
    }

    /// Ends a session of the user.
    ///
    /// - Throws: `AccountFailure`.
    package func end(_ signIn: String) async throws(AccountFailure) {
        let isName = signIn.utf8.allSatisfy { AccountRules.isOfUsername($0) }
        guard isName, !signIn.isEmpty else { throw AccountFailure(.notFound, "there is no such session") }
        _ = try await json(send("DELETE", "sessions/\(signIn)/"))
    }

    /// Signs out on this computer, and on the server if it can be reached.
    package func signOut() async {
        if let own = try? await signIns().first(where: \.isCurrent) { try? await end(own.id) }
        await session.signOut()
    }

    /// Deletes the account; `code` must have been sent to the user's phone recently.
    ///
    /// - Throws: `AccountFailure`.
    package func delete(code: String) async throws(AccountFailure) {
        _ = try await json(send("DELETE", "me/", ["code": .string(code)]))
        await session.signOut()
    }

    /// Writes all data that the server stores about the user to a file, as JSON.
    ///
    /// The file replaces an existing one, and only the user may read it. After an error it may be incomplete.
    /// - Throws: `AccountFailure`.
    package func export(to file: String) async throws(AccountFailure) {
        var request = AccountRequest("GET", "\(Self.root)/me/export/")
        request.file = file
        let answer = try await session.send(request)
        guard answer.isSuccess else { throw answer.failure }
        guard ExportFile.isComplete(file) else {
            throw AccountFailure(
                .serverFailed,
                "the server has sent only a part of the data, or is older than this program"
            )
        }
    }

    private func send(
        _ method: String,
        _ path: String,
        _ body: JSON? = nil,
        user: Int? = nil
    ) async throws(AccountFailure) -> AccountAnswer {
        try await session.send(AccountRequest(method, "\(Self.root)/\(path)", body), user: user)
    }

    /// Fetches a picture of a user.
    ///
    /// - Parameter path: The path below the server's base URL.
    /// - Throws: `AccountFailure`; `.refused` for an absolute URL, because the access token must not be sent to another
    ///   server.
    /// - Returns: The bytes of the picture.
    package func picture(at path: String) async throws(AccountFailure) -> [UInt8] {
        let isWhole = path.contains("://") || path.hasPrefix("//")
        guard !isWhole else { throw AccountFailure(.refused, "the picture is on another server") }
        let relative = path.drop { $0 == "/" }
        let answer = try await session.send(AccountRequest("GET", String(relative)))
        guard answer.isSuccess else { throw answer.failure }
        return answer.body
    }

    // MARK: Answers

    /// Parses the body of a successful answer; nil if it is empty.
    private func json(_ answer: AccountAnswer) throws(AccountFailure) -> JSON? {
        guard answer.isSuccess else { throw answer.failure }
        guard !answer.body.isEmpty else { return nil }
        guard let json = try? JSON(parsing: answer.body) else { throw Self.unclear }
        return json
    }

    private static let unclear = AccountFailure(.serverFailed, "the server's answer cannot be understood")
}
