internal import AccountsClient
internal import AccountsCore
internal import AppFlow
internal import Basics
internal import MediaKit
internal import UserStore

/// The account of the app's user on one server.
struct AppAccount: AccountService {
    let connection: AccountConnection
    let changes: AsyncStream<AccountChange>
    /// Returns the sign-in code that all users share on a test server; nil on other servers.
    let code: @Sendable () async -> String?

    private var client: AccountClient { connection.client }
    private var archive: AccountArchive { connection.archive }

    func testCode() async -> String? { await code() }

    func user() async throws(AccountFailure) -> Int? {
        try await client.session.load()
        return await client.session.user
    }

    func look() async throws(AccountFailure) -> Int? {
        try await client.session.look()
        return await client.session.user
    }

    func followStore(_ onChange: @escaping @Sendable () -> Void) async {
        await connection.store.followChanges(onChange)
    }

    func sendCode(to phone: String) async throws(AccountFailure) { try await client.sendCode(to: phone) }

    func check(_ code: String, of phone: String) async throws(AccountFailure) -> CodeCheck {
        try await client.check(code, of: phone)
    }

    func register(
        _ phone: String,
        name: String,
        username: String,
        token: Secret?
    ) async throws(AccountFailure) {
        try await client.register(phone, name: name, username: username, token: token)
    }

    func profile() async throws(AccountFailure) -> Profile { try await client.profile() }

    func change(_ profile: Profile, by change: ProfileChange) async throws(AccountFailure) -> Profile {
        try await client.change(profile, by: change)
    }

    func signIns() async throws(AccountFailure) -> [SignIn] { try await client.signIns() }

    func end(_ signIn: String) async throws(AccountFailure) { try await client.end(signIn) }

    func delete(code: String) async throws(AccountFailure) { try await client.delete(code: code) }

    func export() async throws(AccountFailure) -> String {
        try await archive.saveExport { [client] file throws(AccountFailure) in
            try await client.export(to: file)
        }
    }

    func picture(of profile: Profile) async throws(AccountFailure) -> [UInt8]? {
        guard let path = profile.avatars.normal ?? profile.avatars.big, !path.contains("://") else {
            return nil
        }
        return try await client.picture(at: path)
    }

    func signOut() async { await client.signOut() }

    // MARK: The user's data on this computer

    func known() async -> KnownProfile? { await archive.known() }

    func keep(_ known: KnownProfile?) async throws { try await archive.keep(known) }

    // MARK: Pictures

    func decoded(_ picture: [UInt8]) async -> VideoFrame? {
        var square = picture
        // Other clients may have uploaded a picture that is not square.
        if let header = PictureHeader(picture), header.width != header.height {
            square = (try? await AvatarEncoder.avatar(from: picture)) ?? picture
        }
        return try? await PictureDecoder.decode(square, maximumSide: AvatarEncoder.maximumSide)
    }

    func picture(from file: String) async throws(PictureProblem) -> [UInt8] {
        let bytes = try await archive.read(file, limit: Self.limit.bytes)
        do throws(PictureError) {
            return try await AvatarEncoder.avatar(from: bytes, limit: Self.limit)
        } catch {
            switch error {
            case .tooLarge: throw .tooLarge
            case .notAPicture, .damaged: throw .notAPicture
            case .unavailable, .cancelled: throw .unreadable
            }
        }
    }

    func picture(from frame: VideoFrame) async throws(PictureProblem) -> [UInt8] {
        do throws(PictureError) { return try await AvatarEncoder.avatar(from: frame) } catch {
            throw .unreadable
        }
    }

    /// The maximum size of a picture that the user chooses, which allows photos of large cameras; the upload is
    /// smaller.
    private static let limit = PictureLimit(bytes: 32 << 20, side: 8192, pixels: 50_000_000)
}
