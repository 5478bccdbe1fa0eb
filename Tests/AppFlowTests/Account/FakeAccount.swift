import AccountsCore
import AppFlow
import Basics
import Synchronization

/// An account whose server does what the test says.
final class FakeAccount: AccountService {
    struct State {
        var user: Int?
        /// The server's profile.
        var profile = FakeAccount.profile
        var known: KnownProfile?
        /// The requests that reached the server, in their order.
        var requests: [String] = []
        /// The failures of requests by their names, until they are removed.
        var failures: [String: AccountFailure] = [:]
        /// Whether a request waits until it is cancelled.
        var hangs = false
        /// Whether the phone belongs to a user.
        var exists = true
        var hasCamera = true
        /// How often the camera was opened and closed.
        var cameraOpens = 0
        var cameraCloses = 0
    }

    static var profile: Profile {
        var profile = Profile(id: 7, phone: "+380501234567", name: "Ann", username: "ann")
        (profile.city, profile.vk) = ("Kyiv", "id7")
        return profile
    }

    static let unreachable = AccountFailure(.unreachable, "no connection")

    let state = Mutex(State())
    let changes: AsyncStream<AccountChange>
    let change: AsyncStream<AccountChange>.Continuation
    /// Reports a change of the stored secrets.
    let storeChange = AsyncStream.makeStream(of: Void.self)

    init() { (changes, change) = AsyncStream.makeStream(of: AccountChange.self) }

    func followStore(_ onChange: @escaping @Sendable () -> Void) async {
        for await _ in storeChange.stream { onChange() }
    }

    func look() async throws(AccountFailure) -> Int? { try await user() }

    var requests: [String] { state.withLock(\.requests) }

    func set(_ change: @Sendable (inout State) -> Void) { state.withLock { change(&$0) } }

    private func ask(_ name: String) async throws(AccountFailure) {
        let (failure, hangs) = state.withLock { state in
            state.requests.append(name)
            return (state.failures[name], state.hangs)
        }
        if hangs {
            try? await Task.sleep(for: .seconds(3600))
            throw AccountFailure(.unreachable, "the request was cancelled")
        }
        if let failure { throw failure }
    }

    func testCode() async -> String? { "133337" }

    func user() async throws(AccountFailure) -> Int? {
        if let failure = state.withLock({ $0.failures["user"] }) { throw failure }
        return state.withLock(\.user)
    }

    func sendCode(to phone: String) async throws(AccountFailure) { try await ask("send \(phone)") }

    func check(_ code: String, of phone: String) async throws(AccountFailure) -> CodeCheck {
        try await ask("check \(code)")
        return state.withLock { state in
            guard state.exists else { return .unknown(registration: Secret("proof")) }
            state.user = state.profile.id
            return .signedIn(
                AccountTokens(access: Secret("a"), refresh: Secret("r"), user: state.profile.id)
            )
        }
    }

    func register(
        _ phone: String,
        name: String,
        username: String,
        token: Secret?
    ) async throws(AccountFailure) {
        try await ask("register \(name) \(username) \(token?.value ?? "")")
        state.withLock { state in
            (state.profile.name, state.profile.username, state.user) = (name, username, state.profile.id)
        }
    }

    func profile() async throws(AccountFailure) -> Profile {
        try await ask("profile")
        return state.withLock(\.profile)
    }

    func change(_ profile: Profile, by change: ProfileChange) async throws(AccountFailure) -> Profile {
        try await ask("change")
        return state.withLock { state in
            state.profile = change.applied(to: state.profile)
            return state.profile
        }
    }

    func signIns() async throws(AccountFailure) -> [SignIn] {
        try await ask("sign-ins")
        return [SignIn(id: "1", device: "here", isCurrent: true), SignIn(id: "2", device: "phone")]
    }

    func end(_ signIn: String) async throws(AccountFailure) { try await ask("end \(signIn)") }

    func delete(code: String) async throws(AccountFailure) { try await ask("delete \(code)") }

    func export() async throws(AccountFailure) -> String {
        try await ask("export")
        return "/documents/export.json"
    }

    func picture(of profile: Profile) async throws(AccountFailure) -> [UInt8]? {
        guard profile.avatars.normal != nil else { return nil }
        try await ask("picture")
        return [1, 2, 3]
    }

    func signOut() async { state.withLock { $0.user = nil } }

    func known() async -> KnownProfile? { state.withLock(\.known) }

    func keep(_ known: KnownProfile?) async throws { state.withLock { $0.known = known } }

    func decoded(_ picture: [UInt8]) async -> VideoFrame? { nil }

    func picture(from file: String) async throws(PictureProblem) -> [UInt8] {
        guard file.hasSuffix(".jpg") else { throw .notAPicture }
        return [4, 5]
    }

    func picture(from frame: VideoFrame) async throws(PictureProblem) -> [UInt8] {
        [6, UInt8(frame.size.width)]
    }
}
