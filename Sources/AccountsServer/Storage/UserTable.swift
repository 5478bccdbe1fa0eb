internal import AccountsCore
internal import Basics
internal import FoundationEssentials
internal import GRDB

/// The table of users and the table of their pictures.
struct UserTable {
    /// The reason why a user cannot be added.
    enum Taken: Error, Hashable {
        case phone, username
    }

    /// A stored picture.
    struct Picture: Sendable {
        let type: String
        let bytes: [UInt8]
        /// The name of the file that the user sent; it is never used as a path on the server.
        let filename: String
    }

    /// The folder of pictures in URLs.
    static let pictures = "media/avatars/"
    /// The time in seconds for which a user counts as online after a request.
    private static let onlineTime = 300

    let database: Database
    /// The current time in seconds since 1970.
    let now: Int

    /// Returns the key by which usernames are compared without regard to case.
    private static func key(_ username: String) -> String { username.lowercased() }

    func id(ofPhone phone: String) throws -> Int? {
        try Int.fetchOne(database, sql: "SELECT id FROM account_user WHERE phone = ?", arguments: [phone])
    }

    /// Adds a user.
    ///
    /// - Returns: The ID of the user.
    /// - Throws: `Taken`.
    func add(phone: String, name: String, username: String) throws -> Int {
        guard try id(ofPhone: phone) == nil else { throw Taken.phone }
        let other = try Int.fetchOne(
            database,
            sql: "SELECT id FROM account_user WHERE username_key = ?",
            arguments: [Self.key(username)]
        )
        guard other == nil else { throw Taken.username }
        try database.execute(
            sql: """
                INSERT INTO account_user (phone, username, username_key, name, created, seen)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [phone, username, Self.key(username), name, now, now]
        )
        return Int(database.lastInsertedRowID)
    }

    /// Deletes a user, including all sessions and the picture.
    func delete(_ user: Int) throws {
        try database.execute(sql: "DELETE FROM account_user WHERE id = ?", arguments: [user])
    }

    /// Updates the time of a user's last activity.
    func see(_ user: Int) throws {
        try database.execute(sql: "UPDATE account_user SET seen = ? WHERE id = ?", arguments: [now, user])
    }

    // MARK: Profiles

    /// Reads the profile of a user; nil if there is no such user.
    func profile(of user: Int) throws -> Profile? {
        let row = try Row.fetchOne(
            database,
            sql: "SELECT * FROM account_user WHERE id = ?",
            arguments: [user]
        )
        return row.map(profile)
    }

    /// Reads the profiles of the users who were active most recently, ordered by ID.
    func active(limit: Int) throws -> [Profile] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT * FROM (SELECT * FROM account_user ORDER BY seen DESC, id LIMIT ?) ORDER BY id
                """,
            arguments: [limit]
        )
        return rows.map(profile)
    }

    private func profile(_ row: Row) -> Profile {
        var profile = Profile(
            id: row["id"],
            phone: row["phone"],
            name: row["name"],
            username: row["username"]
        )
        profile.birthday = (row["birthday"] as String?).flatMap { CalendarDay($0) }
        (profile.city, profile.vk, profile.instagram) = (row["city"], row["vk"], row["instagram"])
        profile.about = row["about"]
        if let avatar: String = row["avatar"] {
            let path = Self.pictures + avatar
            profile.avatars = Profile.Avatars(normal: path, big: path, small: path)
        }
        let seen: Int = row["seen"]
        profile.isOnline = abs(now - seen) < Self.onlineTime
        profile.last = Self.time(seen)
        profile.created = Self.time(row["created"])
        return profile
    }

    private static func time(_ seconds: Int) -> Timestamp { Timestamp(milliseconds: Int64(seconds) * 1000) }

    /// Updates the name, the texts and the birthday of a user; phone, username and picture remain unchanged.
    func update(_ profile: Profile) throws {
        try database.execute(
            sql: """
                UPDATE account_user SET name = ?, birthday = ?, city = ?, vk = ?, instagram = ?, about = ?
                WHERE id = ?
                """,
            arguments: [
                profile.name, profile.birthday?.description, profile.city, profile.vk, profile.instagram,
                profile.about, profile.id,
            ]
        )
    }

    // MARK: Pictures

    /// Replaces or removes the picture of a user; `id` must be new, so that cached copies of the old picture are not
    /// used.
    func setPicture(_ picture: Picture?, of user: Int, id: String) throws {
        try database.execute(sql: "DELETE FROM account_avatar WHERE user = ?", arguments: [user])
        try database.execute(
            sql: "UPDATE account_user SET avatar = ? WHERE id = ?",
            arguments: [picture == nil ? nil : id, user]
        )
        guard let picture else { return }
        try database.execute(
            sql: "INSERT INTO account_avatar (id, user, type, filename, bytes) VALUES (?, ?, ?, ?, ?)",
            arguments: [id, user, picture.type, picture.filename, Data(picture.bytes)]
        )
    }

    func hasPicture(_ id: String) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM account_avatar WHERE id = ?)"
        return try Bool.fetchOne(database, sql: sql, arguments: [id]) ?? false
    }

    func picture(_ id: String) throws -> Picture? { try picture("id = ?", [id]) }

    func picture(of user: Int) throws -> Picture? { try picture("user = ?", [user]) }

    private func picture(_ condition: String, _ arguments: StatementArguments) throws -> Picture? {
        let row = try Row.fetchOne(
            database,
            sql: "SELECT type, filename, bytes FROM account_avatar WHERE \(condition)",
            arguments: arguments
        )
        return row.map { row in
            Picture(type: row["type"], bytes: Array(row["bytes"] as Data), filename: row["filename"])
        }
    }
}
