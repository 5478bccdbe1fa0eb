package import ChatCore

/// The chat's access to people with accounts.
package protocol ChatDirectory: Sendable {
    /// Whether the server has accounts; otherwise nothing is known about them.
    var hasAccounts: Bool { get }

    /// Returns the ID of the user to whom an access token belongs; nil if the token is not valid.
    func holder(ofAccessToken token: String) async -> Int?

    /// Determines whether the session of an access token has not ended; the token itself may have expired.
    func isSignedIn(byAccessToken token: String) async -> Bool

    /// The IDs of users, each reported when one of their sessions has ended; for a single consumer.
    var endedSessions: AsyncStream<Int> { get }

    /// The IDs of users, each reported when the account has been deleted; for a single consumer.
    var deletedAccounts: AsyncStream<Int> { get }

    /// Returns the users with these IDs, except those that do not exist.
    ///
    /// - Throws: An error if they cannot be read.
    func accounts(_ ids: [Int]) async throws -> [ChatPerson]

    /// Returns the users for the list of people, ordered by ID; their number is limited.
    func accounts() async -> [ChatPerson]
}

extension ChatDirectory {
    package var hasAccounts: Bool { true }

    package var endedSessions: AsyncStream<Int> { AsyncStream { $0.finish() } }

    package var deletedAccounts: AsyncStream<Int> { AsyncStream { $0.finish() } }
}

/// The directory of a server without accounts.
package struct NoAccounts: ChatDirectory {
    package init() {}

    package var hasAccounts: Bool { false }

    package func holder(ofAccessToken token: String) async -> Int? { nil }

    package func isSignedIn(byAccessToken token: String) async -> Bool { false }

    package func accounts(_ ids: [Int]) async -> [ChatPerson] { [] }

    package func accounts() async -> [ChatPerson] { [] }
}
