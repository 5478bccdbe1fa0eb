internal import AppFlow
internal import Basics
internal import CallCore
internal import DesktopKit
internal import GLibKit
internal import UserStore

/// The app's memory in the user's configuration folder, and in the user's keyring if there is one.
///
/// It runs on its own thread, because a disk may be slow.
actor LiveAppMemory: AppMemory {
    private static let identityFile = "identity.json"
    private static let settingsFile = "app.json"
    private static let callsFile = "calls.json"
    /// The maximum size of the file of past calls in bytes, which is enough for `PastCall.maximum` calls.
    private static let callsLimit = 1 << 20
    private static let tokenName = "room-token"

    private let executor = GLibExecutor(threadName: "memory")
    private let folder: PrivateFolder?
    private let secrets: SecretStore
    private let warn: @Sendable (String) -> Void

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates the memory; `warn` receives one sentence about each stored value that is invalid or cannot be
    /// read, and about a token that cannot be deleted.
    ///
    /// Without `keyring`, the memory uses the keyring of the environment's session.
    init(
        environment: [String: String],
        keyring: (@Sendable () async -> (any Keyring)?)? = nil,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.warn = warn
        folder = .configuration(environment)
        secrets = SecretStore(
            folder: folder,
            keyring: keyring ?? { await SecretService(environment) },
            warn: warn
        )
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
        let path = folder?.path(Self.settingsFile) ?? Self.settingsFile
        return AppSettings(json) { warn("“\($0)” in \(path) is ignored: its value is not valid") }
    }

    func remember(_ settings: AppSettings) async throws { try write(settings.json, to: Self.settingsFile) }

    func pastCalls() async -> [PastCall] {
        do throws(StoreFailure) { return try calls() } catch {
            warn(error.message)
            return []
        }
    }

    func remember(_ call: PastCall) async throws {
        guard let folder else { throw Self.noFolder }
        // Another app of this user may save a call at the same time.
        let lock = try FolderLock(folder)
        let calls = call.added(to: try calls())
        try write(.array(calls.map(\.json)), to: Self.callsFile)
        _ = consume lock
    }

    /// Reads the past calls; a damaged file is set aside.
    ///
    /// - Throws: `StoreFailure` if the file cannot be read.
    private func calls() throws(StoreFailure) -> [PastCall] {
        guard let folder, let bytes = try folder.read(Self.callsFile, limit: Self.callsLimit) else {
            return []
        }
        guard let items = (try? JSON(parsing: bytes))?.arrayValue else {
            complain(Self.callsFile, "it does not contain a list of calls")
            try folder.write(bytes, to: "\(Self.callsFile).damaged")
            try folder.remove(Self.callsFile)
            return []
        }
        return items.compactMap(PastCall.init).sorted { $0.began > $1.began }
    }

    func token() async -> String? { await secrets.secret(named: Self.tokenName) }

    func remember(token: String?) async throws {
        if let token {
            try await secrets.keep(token, named: Self.tokenName, label: "room token")
        } else {
            try await secrets.forget(Self.tokenName)
        }
    }

    func forgetCalls() async throws { if let problem = remove(Self.callsFiles) { throw problem } }

    func forgetIdentity() async throws {
        var problem = remove([Self.identityFile] + Self.callsFiles)
        do throws(StoreFailure) { try await secrets.forget(Self.tokenName) } catch {
            problem = problem ?? error
        }
        if let problem { throw problem }
    }

    // MARK: Files

    private static let callsFiles = [callsFile, "\(callsFile).damaged"]

    /// Removes files as far as possible; returns the first problem.
    private func remove(_ files: [String]) -> StoreFailure? {
        var problem: StoreFailure?
        for file in files {
            do throws(StoreFailure) { try folder?.remove(file) } catch { problem = problem ?? error }
        }
        return problem
    }

    private static let noFolder = StoreFailure(
        message: "nothing can be saved: there is no configuration folder",
        hint: "set HOME or XDG_CONFIG_HOME"
    )

    private func read(_ name: String) -> JSON? {
        do throws(StoreFailure) {
            guard let bytes = try folder?.read(name) else { return nil }
            do { return try JSON(parsing: bytes) } catch { complain(name, "it is not JSON: \(error)") }
        } catch { warn(error.message) }
        return nil
    }

    private func complain(_ name: String, _ reason: String) {
        warn("\(folder?.path(name) ?? name) is ignored: \(reason)")
    }

    private func write(_ json: JSON, to name: String) throws(StoreFailure) {
        guard let folder else { throw Self.noFolder }
        try folder.write(Array((json.serialized() + "\n").utf8), to: name)
    }
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
        read("notifications", { $0.stringValue.flatMap(Notifications.init) }) { notifications = $0 }
        for kind in MediaDevice.Kind.allCases {
            read(kind.rawValue, { MediaDevice($0, kind) }) { devices[kind] = $0 }
        }
    }

    var json: JSON {
        func device(_ kind: MediaDevice.Kind) -> JSON {
            devices[kind].map { ["id": .string($0.id), "name": .string($0.name)] } ?? .null
        }
        return [
            "server": server.map(JSON.string) ?? .null, "theme": .string(theme.rawValue),
            "language": language.map { .string($0.rawValue) } ?? .null, "text-scale": .number(textScale),
            "auto-answer": .bool(answersAutomatically), "notifications": .string(notifications.rawValue),
            "microphone": device(.microphone), "speaker": device(.speaker), "camera": device(.camera),
        ]
    }
}

extension MediaDevice {
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
    /// Creates an identity; nil unless the JSON has a valid name, room and role.
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
