internal import GRDB

/// The sessions of all users with their refresh tokens; each use of a token issues one of the next generation.
///
/// The newest generation may contain several tokens, because answers may have been lost. The first use of one of them,
/// or of an access token that was issued with it, invalidates the others and the previous generation.
struct SessionTable {
    /// A session as shown to its user.
    struct Session: Hashable, Sendable {
        let id: String
        let device: String
        /// The time of creation in seconds since 1970; `used` is the time of the last use.
        let created: Int
        let used: Int
    }

    /// The maximum number of generations of a session; a session that exceeds it ends.
    ///
    /// Tokens are stored for twice their lifetime, so that the use of a stolen one is detected. A client that refreshes
    /// every ten minutes stays below the maximum; if older tokens were deleted instead, a thief could avoid detection
    /// by refreshing often.
    static let mostGenerations = 10_000

    /// A token that was just issued.
    struct Issue: Hashable, Sendable {
        let user: Int
        let session: String
        let digest: String
    }

    /// The result of using a refresh token.
    enum Result: Hashable, Sendable {
        case issued(Issue)
        case refused
        /// The token was replaced long ago, so it or its successor was stolen; the session has ended.
        case stolen(user: Int)
    }

    /// The time in seconds after its last use for which a replaced token is refused without ending the session, because
    /// the request may have been delayed.
    static let tolerance = 120
    /// The maximum time in seconds for which a replaced token remains valid while its successor is unused.
    private static let overlap = 86_400
    private static let mostSiblings = 1000
    /// The maximum number of sessions of a user; beyond it, the least recently used ones end.
    static let most = 100
    /// The number of generations of a session between two counts of the user's tokens.
    private static let countInterval = 100

    let database: Database
    /// The current time in seconds since 1970.
    let now: Int
    /// The lifetime of a refresh token in seconds.
    let lifetime: Int
    /// The maximum number of tokens stored for all sessions of a user.
    ///
    /// Beyond it, the session with the most tokens ends; eleven clients that refresh every ten minutes stay below it.
    var mostTokens = 100_000

    private func row(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
        try Row.fetchOne(database, sql: sql, arguments: arguments)
    }

    private func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try database.execute(sql: sql, arguments: arguments)
    }

    // MARK: Begin and end

    /// Creates a session with its first token.
    func begin(user: Int, device: String, id: String, token digest: String) throws -> Issue {
        // The refresh tokens of these sessions have expired.
        try execute("DELETE FROM account_session WHERE user = ? AND used < ?", [user, now - lifetime])
        try execute(
            """
            INSERT INTO account_session (id, user, device, created, used, generation, is_confirmed)
            VALUES (?, ?, ?, ?, ?, 1, 1)
            """,
            [id, user, device, now, now]
        )
        try insert(digest, session: id, generation: 1)
        try execute(
            """
            DELETE FROM account_session WHERE id IN (
                SELECT id FROM account_session WHERE user = ? AND id <> ?
                ORDER BY used DESC, rowid DESC LIMIT -1 OFFSET ?
            )
            """,
            [user, id, Self.most - 1]
        )
        return Issue(user: user, session: id, digest: digest)
    }

    /// Ends a session of a user; returns false if there is none with this ID.
    func end(_ session: String, of user: Int) throws -> Bool {
        try execute("DELETE FROM account_session WHERE id = ? AND user = ?", [session, user])
        return database.changesCount > 0
    }

    func sessions(of user: Int) throws -> [Session] {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT * FROM account_session WHERE user = ? ORDER BY used DESC, created DESC, id",
            arguments: [user]
        )
        return rows.map {
            Session(id: $0["id"], device: $0["device"], created: $0["created"], used: $0["used"])
        }
    }

    // MARK: Tokens

    /// Uses a refresh token; if it is valid, stores the digest `next` of its successor.
    func refresh(_ digest: String, next: String) throws -> Result {
        let found = try row(
            """
            SELECT session, user, account_token.generation AS mine, issued, account_token.used AS used, replaced,
                account_session.generation AS newest, is_confirmed
            FROM account_token JOIN account_session ON account_session.id = session WHERE digest = ?
            """,
            [digest]
        )
        guard let found else { return .refused }
        let (session, user): (String, Int) = (found["session"], found["user"])
        let (generation, newest): (Int, Int) = (found["mine"], found["newest"])
        let used: Int? = found["used"]
        let isNewest = generation == newest
        // A legitimate client does not lose that many replies.
        let isBefore =
            try generation == newest - 1 && !(found["is_confirmed"] as Bool)
            && count(session, newest) < Self.mostSiblings
        guard isNewest || isBefore else {
            guard let used, now - used > Self.tolerance else { return .refused }
            try execute("DELETE FROM account_session WHERE id = ?", [session])
            return .stolen(user: user)
        }
        let isOld = now - (found["issued"] as Int) >= lifetime
        guard !isOld, isNewest || now - (found["replaced"] ?? now) <= Self.overlap else { return .refused }
        if isNewest {
            try void(session, generation, except: digest)
            try execute(
                "UPDATE account_session SET generation = ?, is_confirmed = 0 WHERE id = ?",
                [newest + 1, session]
            )
        }
        try execute(
            "UPDATE account_token SET used = ?, replaced = coalesce(replaced, ?) WHERE digest = ?",
            [now, now, digest]
        )
        try execute("UPDATE account_session SET used = ? WHERE id = ?", [now, session])
        try execute(
            "DELETE FROM account_token WHERE session = ? AND issued < ?",
            [session, now - 2 * lifetime]
        )
        guard try newest - oldest(session) < Self.mostGenerations else {
            try execute("DELETE FROM account_session WHERE id = ?", [session])
            return .refused
        }
        try insert(next, session: session, generation: isNewest ? newest + 1 : newest)
        return .issued(Issue(user: user, session: session, digest: next))
    }

    /// Ends the session with the most tokens if the user of an issued token has too many; returns whether it did.
    ///
    /// The tokens are counted only at each hundredth generation of a session, because there may be many.
    func limitTokens(after issue: Issue) throws -> Bool {
        let found = try row("SELECT generation FROM account_session WHERE id = ?", [issue.session])
        guard let generation: Int = found?["generation"], generation % Self.countInterval == 0 else {
            return false
        }
        let sizes = try Row.fetchAll(
            database,
            sql: """
                SELECT id, count(*) AS tokens FROM account_session JOIN account_token ON session = id
                WHERE user = ? GROUP BY id ORDER BY tokens DESC
                """,
            arguments: [issue.user]
        )
        let count = sizes.reduce(0) { $0 + ($1["tokens"] as Int) }
        guard count > mostTokens, let largest = sizes.first else { return false }
        try execute("DELETE FROM account_session WHERE id = ?", [largest["id"]])
        return true
    }

    /// Records the use of an access token: if it was issued with a token of the newest generation, the other tokens of
    /// this generation are deleted.
    func confirm(session: String, token name: String) throws {
        let newest = try Row.fetchAll(
            database,
            sql: """
                SELECT digest, account_token.generation AS mine FROM account_token
                JOIN account_session ON account_session.id = session
                WHERE session = ? AND account_token.generation = account_session.generation
                """,
            arguments: [session]
        )
        for row in newest where RefreshToken.name(of: row["digest"]) == name {
            try void(session, row["mine"], except: row["digest"])
            try execute("UPDATE account_session SET is_confirmed = 1 WHERE id = ?", [session])
        }
    }

    /// Returns the number of tokens in a generation.
    private func count(_ session: String, _ generation: Int) throws -> Int {
        let found = try row(
            "SELECT count(*) AS count FROM account_token WHERE session = ? AND generation = ?",
            [session, generation]
        )
        return found?["count"] ?? 0
    }

    /// Returns the oldest generation with a stored token.
    private func oldest(_ session: String) throws -> Int {
        try row("SELECT min(generation) AS oldest FROM account_token WHERE session = ?", [session])?["oldest"]
            ?? 0
    }

    private func void(_ session: String, _ generation: Int, except digest: String) throws {
        try execute(
            "DELETE FROM account_token WHERE session = ? AND generation = ? AND digest <> ?",
            [session, generation, digest]
        )
    }

    private func insert(_ digest: String, session: String, generation: Int) throws {
        try execute(
            "INSERT INTO account_token (digest, session, generation, issued) VALUES (?, ?, ?, ?)",
            [digest, session, generation, now]
        )
    }
}
