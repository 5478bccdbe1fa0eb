package import AccountsCore
package import Basics

/// The account of the app's user on one server.
package protocol AccountService: Sendable {
    /// Returns the sign-in code that all users share on a test server, which may be shown; nil if the server sends
    /// codes to phones.
    func testCode() async -> String?

    /// The changes of the session, for a single reader.
    var changes: AsyncStream<AccountChange> { get }

    /// Waits until it is known which user is signed in.
    ///
    /// - Returns: The ID of the user; nil if nobody is signed in.
    /// - Throws: `AccountFailure` if the stored tokens cannot be read.
    func user() async throws(AccountFailure) -> Int?

    /// Checks again which user is signed in, because another program may have signed in or out.
    ///
    /// If the session has ended, `changes` reports it.
    ///
    /// - Returns: The ID of the user; nil if nobody is signed in.
    /// - Throws: `AccountFailure` if the stored tokens cannot be read; the session is then unchanged.
    func look() async throws(AccountFailure) -> Int?

    /// Calls `onChange` whenever another program may have signed in or out, until the task is cancelled.
    func followStore(_ onChange: @escaping @Sendable () -> Void) async

    func sendCode(to phone: String) async throws(AccountFailure)

    /// Submits a code, and signs in if the user exists.
    func check(_ code: String, of phone: String) async throws(AccountFailure) -> CodeCheck

    /// Registers a user whose phone has been verified, and signs in.
    func register(
        _ phone: String,
        name: String,
        username: String,
        token: Secret?
    ) async throws(AccountFailure)

    func profile() async throws(AccountFailure) -> Profile

    /// Applies a change to a profile on the server, and returns the changed profile.
    func change(_ profile: Profile, by change: ProfileChange) async throws(AccountFailure) -> Profile

    func signIns() async throws(AccountFailure) -> [SignIn]

    /// Ends a sign-in of the user, on this or another device.
    func end(_ signIn: String) async throws(AccountFailure)

    /// Deletes the account; `code` must be a recent one that was sent to the user's phone.
    func delete(code: String) async throws(AccountFailure)

    /// Writes all data that the server has stored about the user to a new file in the documents folder.
    ///
    /// - Returns: The path of the file.
    func export() async throws(AccountFailure) -> String

    /// Fetches the picture of a profile; nil if the profile has none that can be fetched.
    func picture(of profile: Profile) async throws(AccountFailure) -> [UInt8]?

    /// Signs out on this computer.
    func signOut() async

    // MARK: The user's data on this computer

    /// Reads the profile of the user that is stored on this computer; nil if there is none.
    func known() async -> KnownProfile?

    /// Stores the user's profile on this computer; nil deletes it.
    ///
    /// - Throws: `StoreFailure`.
    func keep(_ known: KnownProfile?) async throws

    // MARK: Pictures

    /// Decodes a picture for display; nil if it is damaged.
    func decoded(_ picture: [UInt8]) async -> VideoFrame?

    /// Creates a square profile picture from a file.
    ///
    /// - Throws: `PictureProblem`.
    func picture(from file: String) async throws(PictureProblem) -> [UInt8]

    /// Creates a square profile picture from a frame of the camera.
    ///
    /// - Throws: `PictureProblem`.
    func picture(from frame: VideoFrame) async throws(PictureProblem) -> [UInt8]
}

/// A change of the session.
package enum AccountChange: Hashable, Sendable {
    /// A user has signed in, here or in another program.
    case signedIn(user: Int)
    /// The server has ended the session.
    case signedOut(AccountFailure)
}

/// The reason why a profile picture could not be created.
package enum PictureProblem: String, Error, Hashable, Sendable {
    case unreadable, notAPicture = "not-a-picture", tooLarge = "too-large"
    /// No camera delivers video, or another program uses the camera.
    case noCamera = "no-camera"
}

/// The user's profile as stored on this computer, which can be shown without a request to the server.
package struct KnownProfile: Hashable, Sendable {
    /// The profile that the server has confirmed.
    package var confirmed: Profile
    /// The picture of the confirmed profile.
    package var picture: [UInt8]?
    /// A change that the server has not confirmed yet.
    package var unsent: ProfileChange?

    package init(confirmed: Profile, picture: [UInt8]? = nil, unsent: ProfileChange? = nil) {
        (self.confirmed, self.picture, self.unsent) = (confirmed, picture, unsent)
    }

    /// The profile with the user's unsent change.
    package var profile: Profile { unsent?.applied(to: confirmed) ?? confirmed }

    /// The picture with the user's unsent change.
    package var currentPicture: [UInt8]? {
        switch unsent?.avatar {
        case .removed: nil
        case .picture(_, let bytes): bytes
        case nil: picture
        }
    }
}
