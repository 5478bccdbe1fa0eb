internal import CallCore
internal import CallFlow
internal import DesktopKit
internal import GLibKit
internal import SocketIO

/// The stored data of the app, in the user's configuration folder and, if there is one, in the user's
/// keyring.
///
/// The actor runs on its own thread, because a disk may be slow.
actor LiveAppMemory: AppMemory {
    private static let identityFile = "identity.json"
    private static let settingsFile = "app.json"
    /// The file that stores the token if there is no keyring; with a keyring it stores a `KeyringMark`.
    private static let secretsFile = "secrets.json"
    private static let tokenName = "room-token"
    private static let keyringMark = "keyring"

    /// The state of the keyring, as recorded in the secrets file.
    private enum KeyringMark: String {
        case holdsToken = "holds-token"
        /// The keyring could not delete the token; the deletion is repeated later.
        case toForget = "to-forget"
    }

    private let executor = GLibExecutor(threadName: "memory")
    private let folder: ConfigFolder?
    private let keyring: @Sendable () async -> (any Keyring)?
    /// The number of calls of `forgetIdentity`; a change during a keyring operation reveals a logout.
    private var forgetRequests = 0
    private let warn: @Sendable (String) -> Void

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates the store; `warn` receives one sentence about each stored value that is invalid.
    ///
    /// Without the argument `keyring`, it uses the keyring of the desktop session that `environment`
    /// describes.
    init(
        environment: [String: String],
        keyring: (@Sendable () async -> (any Keyring)?)? = nil,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.keyring = keyring ?? { await SecretService(environment) }
        self.warn = warn
        folder = ConfigFolder(environment: environment)
    }

    func identity() async -> RememberedIdentity? {
        guard let json = read(Self.identityFile) else { return nil }
        guard let identity = RememberedIdentity(json) else {
            complain(Self.identityFile, "it does not contain a name, a room and a role")
            return nil
        }
        return identity
    }

    func remember(_ identity: RememberedIdentity) async throws {
        try write(identity.json, to: Self.identityFile)
    }

    func settings() async -> AppSettings {
        guard let json = read(Self.settingsFile) else { return AppSettings() }
        return AppSettings(json) { complain(Self.settingsFile, "“\($0)” has an unknown value") }
    }

    func remember(_ settings: AppSettings) async throws { try write(settings.json, to: Self.settingsFile) }

    func token() async -> String? {
        let secrets = read(Self.secretsFile)
        if mark(in: secrets) == .toForget {
            do { try await forgetToken() } catch { warn(Self.sentence(error)) }
            return nil
        }
        if let service = await keyring() {
            do {
                if let token = try await service.secret(named: Self.tokenName) { return token }
            } catch { warn("the keyring cannot be read: \(Self.reason(error))") }
        }
        return secrets?[Self.tokenName]?.stringValue
    }

    func remember(token: String?) async throws {
        guard let token else { return try await forgetToken() }
        guard !token.utf8.contains(0) else {
            throw AppMemoryFailure(message: "the token contains a NUL character", hint: "enter it again")
        }
        let before = forgetRequests
        let service = await keyring()
        guard forgetRequests == before else { return }
        guard let service else {
            return try write([(Self.tokenName, .string(token))].json, to: Self.secretsFile)
        }
        do {
            try await service.keep(token, named: Self.tokenName, label: "callrunner: room token")
        } catch { throw Self.failure("the keyring cannot store the token", error) }
        // The user logged out while the keyring was being unlocked.
        guard forgetRequests == before else { return try await forgetToken() }
        // The mark overwrites a token that the file may contain.
        if folder != nil { try write(.holdsToken) }
    }

    func forgetIdentity() async throws {
        forgetRequests += 1
        var problem: (any Error)?
        do { try folder?.remove(Self.identityFile) } catch { problem = error }
        do { try await forgetToken() } catch { problem = problem ?? error }
        if let problem { throw problem }
    }

    /// Deletes the token from the keyring and from the file; if the keyring fails, the app tries again at its
    /// next start.
    private func forgetToken() async throws {
        // Without a folder for the mark, it is unknown whether the keyring stores a token.
        let mayBeKept = folder == nil || mark(in: read(Self.secretsFile)) != nil
        if let service = await keyring() {
            do { try await service.forget(Self.tokenName) } catch is KeyringLocked where !mayBeKept {
                // No token was ever stored in the locked keyring.
            } catch {
                try? write(.toForget)
                throw Self.failure("the keyring cannot delete the token", error)
            }
        } else if mayBeKept, folder != nil {
            try? write(.toForget)
            throw AppMemoryFailure(
                reason: .keyringLocked,
                message: "the token cannot be deleted: the keyring that stores it is not available",
                hint: "start the app again in a session with that keyring"
            )
        }
        try folder?.remove(Self.secretsFile)
    }

    private func mark(in secrets: JSON?) -> KeyringMark? {
        secrets?[Self.keyringMark]?.stringValue.flatMap(KeyringMark.init)
    }

    private func write(_ mark: KeyringMark) throws(AppMemoryFailure) {
        try write([(Self.keyringMark, .string(mark.rawValue))].json, to: Self.secretsFile)
    }

    // MARK: Files

    private func read(_ name: String) -> JSON? {
        do throws(AppMemoryFailure) {
            guard let bytes = try folder?.read(name) else { return nil }
            do { return try JSON(parsing: bytes) } catch { complain(name, "it is not JSON: \(error)") }
        } catch { warn(error.message) }
        return nil
    }

    private func complain(_ name: String, _ reason: String) {
        warn("\(folder?.path(name) ?? name) is ignored: \(reason)")
    }

    private func write(_ json: JSON, to name: String) throws(AppMemoryFailure) {
        guard let folder else {
            throw AppMemoryFailure(
                message: "nothing can be saved: there is no configuration folder",
                hint: "set HOME or XDG_CONFIG_HOME"
            )
        }
        try folder.write(Array((json.serialized() + "\n").utf8), to: name)
    }

    private static func failure(_ what: String, _ error: any Error) -> AppMemoryFailure {
        AppMemoryFailure(
            reason: error is KeyringLocked ? .keyringLocked : .other,
            message: "\(what): \(reason(error))",
            hint: "check that the keyring is unlocked"
        )
    }

    private static func sentence(_ error: any Error) -> String {
        (error as? AppMemoryFailure)?.message ?? reason(error)
    }

    private static func reason(_ error: any Error) -> String {
        error is CancellationError ? "it does not answer" : "\(error)"
    }
}

extension [(String, JSON)] {
    fileprivate var json: JSON { .object(JSONObject(self)) }
}

extension AppSettings {
    /// Creates settings from JSON; a member that is missing or invalid keeps its default.
    ///
    /// - Parameters:
    ///   - json: The contents of the file.
    ///   - complain: Called with the name of each invalid member.
    init(_ json: JSON, complain: (String) -> Void) {
        self.init()
        func read<Value>(_ name: String, _ value: (JSON) -> Value?, _ apply: (Value) -> Void) {
            guard let member = json[name], !member.isNull else { return }
            if let value = value(member) { apply(value) } else { complain(name) }
        }
        read("server", { $0.stringValue.flatMap { try? SettingText.serverURL($0) } }) { server = $0 }
        read("theme", { $0.stringValue.flatMap(Theme.init) }) { theme = $0 }
        read("language", { $0.stringValue.flatMap(Language.init) }) { language = $0 }
        read("text-scale", { json in json.doubleValue.flatMap { Self.textScales.contains($0) ? $0 : nil } }) {
            textScale = $0
        }
        read("auto-answer", \.boolValue) { answersAutomatically = $0 }
        for kind in CallDevice.Kind.allCases {
            read(kind.rawValue, { CallDevice($0, kind) }) { devices[kind] = $0 }
        }
    }

    var json: JSON {
        func device(_ kind: CallDevice.Kind) -> JSON {
            devices[kind].map { ["id": .string($0.id), "name": .string($0.name)] } ?? .null
        }
        return [
            "server": server.map(JSON.string) ?? .null, "theme": .string(theme.rawValue),
            "language": language.map { .string($0.rawValue) } ?? .null, "text-scale": .number(textScale),
            "auto-answer": .bool(answersAutomatically),
            "microphone": device(.microphone), "speaker": device(.speaker), "camera": device(.camera),
        ]
    }
}

extension CallDevice {
    /// The maximum length of a device's id or name in bytes.
    private static let longest = 1024

    fileprivate init?(_ json: JSON, _ kind: Kind) {
        guard let id = json["id"]?.stringValue, let name = json["name"]?.stringValue, !id.isEmpty,
            id.utf8.count <= Self.longest, name.utf8.count <= Self.longest, !id.utf8.contains(0)
        else { return nil }
        self.init(kind, id: id, name: name)
    }
}

extension RememberedIdentity {
    /// Creates an identity; nil if the JSON has no valid name, room or role.
    init?(_ json: JSON) {
        guard let name = json["username"]?.stringValue, let username = try? Username(name),
            let number = json["room"]?.intValue, let room = try? RoomID(number),
            let role = json["role"]?.stringValue.flatMap(Role.init)
        else { return nil }
        self.init(identity: Identity(username: username, room: room), role: role)
    }

    var json: JSON {
        [
            "username": .string(identity.username.value), "room": .int(identity.room.value),
            "role": .string(role.rawValue),
        ]
    }
}
