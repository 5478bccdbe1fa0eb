package import AccountsCore
internal import Basics
internal import GRDB
internal import HTTPFront
package import Logging
package import ServerStore
internal import Synchronization

/// The accounts of a server: codes, sessions and profiles, and the rules for changing them.
package final class Accounts: Sendable {
    let database: ServerDatabase
    private let configuration: AccountsConfiguration
    private let book = Mutex(CodeBook())
    private let logger: Logger
    private let signOuts = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(10_000))
    private let deletions = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(10_000))
    /// The interval in seconds at which the time of a user's last activity is updated.
    private static let seeInterval = 60
    /// The time in seconds for which an expired token still identifies its session.
    private static let longestSession = 10 * 365 * 86_400

    package init(_ configuration: AccountsConfiguration, _ database: ServerDatabase, logger: Logger) {
        (self.configuration, self.database, self.logger) = (configuration, database, logger)
    }

    /// The client that has sent a request.
    struct Client: Sendable {
        let address: ClientAddress?
        /// The address; nil if it is a loopback address, because a proxy on this computer may hide the client's own
        /// address.
        var distinct: ClientAddress? { address?.isLoopback == false ? address : nil }
        /// The description of the program and the device that the client has sent.
        let device: String
    }

    /// The claims of a user's valid access token.
    typealias Identity = AccessClaims

    private var now: Int { configuration.clock.wall() }

    /// The time of a monotonic clock.
    var steadyTime: Duration { configuration.clock.steady() }

    /// The current date in UTC; in time zones east of UTC, the date may already be one day later, which does not matter
    /// for birthdays.
    var today: CalendarDay? { CalendarDay(of: Timestamp(milliseconds: Int64(now) * 1000)) }

    private func users(_ database: Database) -> UserTable { UserTable(database: database, now: now) }

    private func sessions(_ database: Database) -> SessionTable {
        SessionTable(
            database: database,
            now: now,
            lifetime: Int(configuration.refreshLifetime.components.seconds)
        )
    }

    // MARK: Codes

    /// Whether a fixed code for tests is used, which everybody knows.
    var hasTestCode: Bool { configuration.delivery.isTest }

    /// Returns the address by which a client that has verified a phone is recognized; nil if there is none.
    private func proof(_ client: Client) -> ClientAddress? { hasTestCode ? client.address : client.distinct }

    /// Sends a code to a phone, whether or not a user is registered with it.
    func sendCode(to phone: String, _ client: Client) async throws(AccountRefusal) {
        let delivery = configuration.delivery
        let code = delivery.makeCode()
        let time = configuration.clock.steady()
        try limited { book throws(CodeBook.Refusal) in
            try book.request(phone, client: client.distinct, at: time)
        }
        // The code is sent even if the client disconnects, because the request has been counted.
        let result = await Task { () -> CodeDeliveryFailure? in
            do throws(CodeDeliveryFailure) {
                try await delivery.send(code, to: phone)
                return nil
            } catch { return error }
        }.value
        if let error = result {
            book.withLock { $0.takeBack(phone, at: time) }
            logger.error(
                "no code was sent",
                metadata: ["reason": "\(error.message)", "phone": "\(mask(phone))"]
            )
            throw .unavailable("the code cannot be sent now")
        }
        book.withLock { $0.sent(code, to: phone, at: time) }
    }

    /// Checks a code without using it up.
    ///
    /// - Throws: `AccountRefusal` if the client has entered too many wrong codes.
    private func isCorrect(_ code: String, of phone: String, _ client: Client) throws(AccountRefusal) -> Bool
    {
        let time = configuration.clock.steady()
        return try limited { book throws(CodeBook.Refusal) in
            try book.check(code, of: phone, client: client.distinct, at: time)
        } == .correct
    }

    /// Accesses the code book.
    ///
    /// - Throws: `AccountRefusal` if a rate limit is exceeded.
    private func limited<Value: Sendable>(
        _ body: @Sendable (inout CodeBook) throws(CodeBook.Refusal) -> Value
    ) throws(AccountRefusal) -> Value {
        do throws(CodeBook.Refusal) {
            return try book.withLock { book throws(CodeBook.Refusal) in try body(&book) }
        } catch {
            switch error {
            case .wait(let wait): throw .tooMany(wait)
            }
        }
    }

    /// Checks a code, and signs in the user of the phone if there is one.
    func check(_ code: String, of phone: String, _ client: Client) async throws -> CodeCheck {
        guard try isCorrect(code, of: phone, client) else {
            throw AccountRefusal.notFound("the code is wrong or too old")
        }
        let issue = try await database.write { [self] database in
            try users(database).id(ofPhone: phone).map { try begin($0, client, database) }
        }
        book.withLock { $0.use(code, of: phone) }
        if let (issue, token) = issue { return .signedIn(try await tokens(issue, token)) }
        let token = RandomText.make(bytes: 32)
        let time = configuration.clock.steady()
        book.withLock {
            $0.verified(phone, client: proof(client), token: RandomText.digest(token), at: time)
        }
        return .unknown(registration: Secret(token))
    }

    /// Registers a user whose phone was verified, and signs the user in.
    ///
    /// The same request may be repeated if its answer was lost.
    func register(
        _ phone: String,
        name: String,
        username: String,
        token: String?,
        _ client: Client
    ) async throws -> AccountTokens {
        let time = configuration.clock.steady()
        let permission = book.withLock {
            $0.permission(phone, client: proof(client), token: token.map(RandomText.digest), at: time)
        }
        let refusal = AccountRefusal.forbidden("the phone was not verified within 10 minutes")
        guard let permission else { throw refusal }
        let (issue, token): (SessionTable.Issue, RefreshToken)
        do {
            (issue, token) = try await database.write { [self] database in
                let users = users(database)
                switch permission {
                case .register:
                    let user = try users.add(phone: phone, name: name, username: username)
                    return try begin(user, client, database)
                case .repeatRegistration:
                    guard let user = try users.id(ofPhone: phone),
                        try users.profile(of: user)?.username == username
                    else { throw refusal }
                    return try begin(user, client, database)
                }
            }
        } catch let taken as UserTable.Taken {
            throw switch taken {
            case .phone: AccountRefusal.invalid([.init("phone", "somebody has registered with this phone")])
            case .username: AccountRefusal.invalid([.init("username", "the username is taken")])
            }
        }
        book.withLock { $0.registered(phone) }
        if permission == .register { logger.info("registered", metadata: ["user": "\(issue.user)"]) }
        return try await tokens(issue, token)
    }

    // MARK: Tokens

    private func begin(
        _ user: Int,
        _ client: Client,
        _ database: Database
    ) throws -> (SessionTable.Issue, RefreshToken) {
        let token = RefreshToken()
        let issue = try sessions(database).begin(
            user: user,
            device: client.device,
            id: RandomText.make(bytes: 12),
            token: token.digest
        )
        try users(database).see(user)
        return (issue, token)
    }

    private func tokens(_ issue: SessionTable.Issue, _ token: RefreshToken) async throws -> AccountTokens {
        let claims = AccessClaims(
            user: issue.user,
            session: issue.session,
            id: RefreshToken.name(of: issue.digest),
            issued: now,
            lifetime: Int(configuration.accessLifetime.components.seconds)
        )
        let access = try await configuration.key.sign(claims)
        return AccountTokens(access: Secret(access), refresh: Secret(token.text), user: issue.user)
    }

    /// Replaces a refresh token; the use of a stolen token ends the session.
    func refresh(_ text: String) async throws -> AccountTokens {
        guard let token = RefreshToken(text) else { throw Self.unknownRefresh }
        let next = RefreshToken()
        let (result, hasEnded) = try await database.write { [self] database in
            let result = try sessions(database).refresh(token.digest, next: next.digest)
            guard case .issued(let issue) = result else { return (result, false) }
            try users(database).see(issue.user)
            return (result, try sessions(database).limitTokens(after: issue))
        }
        switch result {
        case .issued(let issue):
            if hasEnded { signOuts.continuation.yield(issue.user) }
            return try await tokens(issue, next)
        case .refused: throw Self.unknownRefresh
        case .stolen(let user):
            signOuts.continuation.yield(user)
            logger.warning(
                "a replaced refresh token was used: the session has ended",
                metadata: ["user": "\(user)"]
            )
            throw Self.unknownRefresh
        }
    }

    private static let unknownRefresh = AccountRefusal.unauthorized("the refresh token is not valid")

    /// Verifies an access token, but not whether its session has ended.
    func identity(
        _ token: String?,
        leeway: Int = 0
    ) async throws(AccountRefusal) -> Identity {
        guard let token else { throw .unauthorized("no access token was sent") }
        do throws(TokenRefusal) {
            let time = Double(now)
            return try await configuration.key.verify(token, as: AccessClaims.self, at: time, leeway: leeway)
        } catch {
            throw .unauthorized(error.reason)
        }
    }

    /// Returns the ID of the user to whom an access token belongs, for another service of the server; nil if it is not
    /// valid.
    package func holder(ofAccessToken token: String) async -> Int? {
        guard let identity = try? await identity(token) else { return nil }
        return try? await read(identity) { _, _ in identity.user }
    }

    /// Determines whether the session of an access token has not ended; the token itself may have expired.
    package func isSignedIn(byAccessToken token: String) async -> Bool {
        guard let identity = try? await identity(token, leeway: Self.longestSession) else { return false }
        do {
            _ = try await database.read { try Self.state(identity, $0) }
            return true
        } catch {
            // A user is not signed out because the disk fails.
            return !(error is AccountRefusal)
        }
    }

    /// The IDs of users, each reported when one of their sessions has ended before it expired; for a single consumer.
    package var endedSessions: AsyncStream<Int> { signOuts.stream }

    /// The IDs of users, each reported when the user has been deleted; for a single consumer.
    package var deletedUsers: AsyncStream<Int> { deletions.stream }

    /// Returns the users with these IDs, except those that do not exist.
    package func profiles(of ids: [Int]) async throws -> [Profile] {
        guard !ids.isEmpty else { return [] }
        return try await database.read { [self] database in
            let users = users(database)
            return try ids.compactMap { try users.profile(of: $0) }
        }
    }

    /// Returns the users who were active most recently, at most `limit`, ordered by ID.
    package func profiles(limit: Int) async throws -> [Profile] {
        try await database.read { [self] in try users($0).active(limit: limit) }
    }

    /// Reads data for a user whose session has not ended.
    ///
    /// - Throws: `AccountRefusal` if the session has ended, or an error of `body`.
    func read<Value: Sendable>(
        _ identity: Identity,
        _ body: @escaping @Sendable (UserTable, SessionTable) throws -> Value
    ) async throws -> Value {
        let (value, isConfirmed, seen) = try await database.read { [self] database in
            let state = try Self.state(identity, database)
            return (try body(users(database), sessions(database)), state.isConfirmed, state.seen)
        }
        if !isConfirmed || abs(now - seen) >= Self.seeInterval {
            do { try await database.write { [self] in try note(identity, $0) } } catch let failure
                as ServerStoreFailure
            {
                // Reading is still possible while the disk is full.
                logger.error("accounts: \(failure.message)")
            }
        }
        return value
    }

    /// Makes changes for a user whose session has not ended.
    ///
    /// - Throws: `AccountRefusal` if the session has ended, or an error of `body`.
    func write<Value: Sendable>(
        _ identity: Identity,
        _ body: @escaping @Sendable (UserTable, SessionTable) throws -> Value
    ) async throws -> Value {
        try await database.write { [self] database in
            _ = try Self.state(identity, database)
            try note(identity, database)
            return try body(users(database), sessions(database))
        }
    }

    private func note(_ identity: Identity, _ database: Database) throws {
        try sessions(database).confirm(session: identity.session, token: identity.id)
        try users(database).see(identity.user)
    }

    private static func state(
        _ identity: Identity,
        _ database: Database
    ) throws -> (isConfirmed: Bool, seen: Int) {
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT is_confirmed, seen FROM account_session JOIN account_user ON account_user.id = user
                WHERE account_session.id = ? AND user = ?
                """,
            arguments: [identity.session, identity.user]
        )
        guard let row else { throw AccountRefusal.unauthorized("the session has ended") }
        return (row["is_confirmed"], row["seen"])
    }

    // MARK: Changes

    /// Changes the texts and the picture of a user's own profile.
    ///
    /// - Throws: `AccountRefusal` if the session has ended, or if the disk has no free space for the picture.
    func change(_ wanted: WantedProfile, _ identity: Identity) async throws -> Profile {
        let id = RandomText.make(bytes: 18)
        let folder = database.folder
        return try await write(identity) { users, _ in
            guard let profile = try users.profile(of: identity.user) else { throw Self.noUser }
            try users.update(wanted.applied(to: profile))
            switch wanted.avatar {
            case nil: break
            case .removed: try users.setPicture(nil, of: identity.user, id: id)
            case .picture(let picture):
                // The remaining disk space is reserved for sign-ins and texts.
                guard folder.hasRoom else { throw AccountRefusal.full }
                try users.setPicture(picture, of: identity.user, id: id)
            }
            guard let changed = try users.profile(of: identity.user) else { throw Self.noUser }
            return changed
        }
    }

    /// Ends a session of a user.
    ///
    /// - Throws: `AccountRefusal` if the user has no such session.
    func end(_ session: String, _ identity: Identity) async throws {
        let isEnded = try await write(identity) { try $1.end(session, of: identity.user) }
        guard isEnded else { throw AccountRefusal.notFound("there is no such session") }
        signOuts.continuation.yield(identity.user)
    }

    static let noUser = AccountRefusal.unauthorized("the account was deleted")

    /// Deletes the account of a user who has entered a fresh code.
    func delete(_ identity: Identity, code: String, _ client: Client) async throws {
        let profile = try await read(identity) { users, _ in try users.profile(of: identity.user) }
        guard let profile else { throw Self.noUser }
        guard try isCorrect(code, of: profile.phone, client) else {
            throw AccountRefusal.forbidden("the code is wrong or too old")
        }
        try await write(identity) { users, _ in try users.delete(identity.user) }
        signOuts.continuation.yield(identity.user)
        deletions.continuation.yield(identity.user)
        book.withLock { $0.use(code, of: profile.phone) }
        await database.forgetDeleted()
        logger.info("deleted an account", metadata: ["user": "\(identity.user)"])
    }
}

/// Masks a phone number except for its first three and its last two characters.
private func mask(_ phone: String) -> String {
    "\(phone.prefix(3))\(String(repeating: "*", count: max(0, phone.count - 5)))\(phone.suffix(2))"
}
