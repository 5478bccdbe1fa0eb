package import ChatCore

/// The people with accounts, as the chat needs them.
package protocol ChatDirectory: Sendable {
    /// Returns the ID of the user who holds an access token; nil if it is not valid.
    func holder(ofAccessToken token: String) async -> Int?

    /// Determines whether the sign-in of an access token, which may have expired, still stands.
    func isSignedIn(byAccessToken token: String) async -> Bool

    /// The IDs of users of whom a sign-in has ended, as it happens; read once.
    var endedSessions: AsyncStream<Int> { get }

    /// Returns the name of a user; nil if there is none.
    func name(ofAccount id: Int) async -> String?

    /// Returns users, by ID, at most as many as a list may have.
    func accounts() async -> [ChatPerson]
}

extension ChatDirectory {
    package var endedSessions: AsyncStream<Int> { AsyncStream { $0.finish() } }
}

/// The directory of a server without accounts.
package struct NoAccounts: ChatDirectory {
    package init() {}

    package func holder(ofAccessToken token: String) async -> Int? { nil }

    package func isSignedIn(byAccessToken token: String) async -> Bool { false }

    package func name(ofAccount id: Int) async -> String? { nil }

    package func accounts() async -> [ChatPerson] { [] }
}
