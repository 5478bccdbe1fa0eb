package import AccountsCore
package import Basics

/// The account of the app's user on one server.
package protocol AccountService: Sendable {
    /// Returns the code that everybody has on a server for tests, which a person may be told; nil if codes are sent.
    func testCode() async -> String?

    /// The changes of the session, for one reader.
    var changes: AsyncStream<AccountChange> { get }

    /// Waits until it is known who is signed in.
    ///
    /// - Returns: The ID of the user; nil if nobody is signed in.
    /// - Throws: `AccountFailure` if the stored tokens cannot be read.
    func user() async throws(AccountFailure) -> Int?

    /// Looks again who is signed in, because another program may have signed in or out; `changes` reports an end.
    ///
    /// - Returns: The ID of the user; nil if nobody is signed in.
    /// - Throws: `AccountFailure` if the stored tokens cannot be read, which changes nothing.
    func look() async throws(AccountFailure) -> Int?

    /// Reports that another program may have signed in or out, until the task is cancelled.
    func followStore(_ onChange: @escaping @Sendable () -> Void) async

    func sendCode(to phone: String) async throws(AccountFailure)

    /// Enters a code, and signs in if the user exists.
    func check(_ code: String, of phone: String) async throws(AccountFailure) -> CodeCheck

    /// Registers a user, whose phone was verified, and signs in.
    func register(
        _ phone: String,
        name: String,
        username: String,
        token: Secret?
    ) async throws(AccountFailure)

    func profile() async throws(AccountFailure) -> Profile

    /// Makes a change of a profile, and returns the profile afterwards.
    func change(_ profile: Profile, by change: ProfileChange) async throws(AccountFailure) -> Profile

    func signIns() async throws(AccountFailure) -> [SignIn]

    /// Ends a sign-in, here or elsewhere.
    func end(_ signIn: String) async throws(AccountFailure)

    /// Deletes the account; the code is a fresh one.
    func delete(code: String) async throws(AccountFailure)

    /// Fetches all that the server knows of the user, as JSON.
    func export() async throws(AccountFailure) -> [UInt8]

    /// Fetches the picture of a profile; nil if it has none that may be fetched.
    func picture(of profile: Profile) async throws(AccountFailure) -> [UInt8]?

    /// Signs out here.
    func signOut() async

    // MARK: The user's data on this computer

    /// Reads what is known of the user without asking the server.
    func known() async -> KnownProfile?

    /// Keeps what is known of the user; nil deletes it.
    ///
    /// - Throws: `StoreFailure`.
    func keep(_ known: KnownProfile?) async throws

    /// Writes a file with the user's data into the folder for documents.
    ///
    /// - Returns: The path of the file.
    /// - Throws: `StoreFailure`.
    func save(export: [UInt8]) async throws -> String

    // MARK: Pictures

    /// Decodes a picture for the window; nil if it is damaged.
    func decoded(_ picture: [UInt8]) async -> VideoFrame?

    /// Makes a square picture of a user from a file.
    ///
    /// - Throws: `PictureProblem`.
    func picture(from file: String) async throws(PictureProblem) -> [UInt8]

    /// Makes a square picture of a user from a frame of the camera.
    ///
    /// - Throws: `PictureProblem`.
    func picture(from frame: VideoFrame) async throws(PictureProblem) -> [UInt8]
}

/// A change of the session.
package enum AccountChange: Hashable, Sendable {
    /// Somebody has signed in, here or by another program.
    case signedIn(user: Int)
    /// The server has ended the session.
    case signedOut(AccountFailure)
}

/// The reason why there is no picture of a user.
package enum PictureProblem: String, Error, Hashable, Sendable {
    case unreadable, notAPicture = "not-a-picture", tooLarge = "too-large"
    /// No camera delivers video, or another program uses it.
    case noCamera = "no-camera"
}

/// The user's profile on this computer, which is shown without asking the server.
package struct KnownProfile: Hashable, Sendable {
    /// The profile as the server has confirmed it.
    package var confirmed: Profile
    /// The picture of that profile.
    package var picture: [UInt8]?
    /// A change that the server does not know yet.
    package var unsent: ProfileChange?

    package init(confirmed: Profile, picture: [UInt8]? = nil, unsent: ProfileChange? = nil) {
        (self.confirmed, self.picture, self.unsent) = (confirmed, picture, unsent)
    }

    /// The profile as the user has left it.
    package var profile: Profile { unsent?.applied(to: confirmed) ?? confirmed }

    /// The picture as the user has left it.
    package var currentPicture: [UInt8]? {
        switch unsent?.avatar {
        case .removed: nil
        case .picture(_, let bytes): bytes
        case nil: picture
        }
    }
}
