internal import AccountsCore
internal import AppFlow
internal import Basics
internal import GLibKit
internal import Glibc
internal import LiveCore
internal import UserStore

/// The user's profile on this computer, in a file that only the user can read.
///
/// It runs on its own thread, because a disk may be slow.
actor AccountArchive {
    /// The maximum size of the file in bytes, which is enough for two pictures in Base64 and the texts.
    private static let limit = 16 << 20

    private let executor = GLibExecutor(threadName: "account")
    private let folder: PrivateFolder?
    private let documents: PrivateFolder
    private let name: String
    private let warn: @Sendable (String) -> Void

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates the archive of the account on the server whose API is at `base`.
    init(_ base: String, environment: [String: String], warn: @escaping @Sendable (String) -> Void) {
        folder = PrivateFolder.configuration(environment)?.folder("account")
        documents = PrivateFolder(UserFolders(environment: environment).path(.documents))
        name = "\(Digest.sha256(base)).json"
        self.warn = warn
    }

    func known() -> KnownProfile? {
        do throws(StoreFailure) {
            guard let bytes = try folder?.read(name, limit: Self.limit) else { return nil }
            return (try? JSON(parsing: bytes)).flatMap { KnownProfile($0) }
        } catch {
            warn(error.message)
            return nil
        }
    }

    func keep(_ known: KnownProfile?) throws(StoreFailure) {
        guard let folder else {
            throw StoreFailure(
                message: "nothing can be saved: there is no configuration folder",
                hint: "set HOME or XDG_CONFIG_HOME"
            )
        }
        guard let known else { return try folder.remove(name) }
        try folder.write(Array(known.json.serialized().utf8), to: name)
    }

    /// Reads a file that the user has chosen.
    ///
    /// - Throws: `PictureProblem` if it cannot be read or has more than `limit` bytes.
    func read(_ file: String, limit: Int) throws(PictureProblem) -> [UInt8] {
        guard let slash = file.lastIndex(of: "/") else { throw .unreadable }
        if let size = FileStatus(path: file)?.size, size > limit { throw .tooLarge }
        let (folder, name) = (String(file[..<slash]), String(file[file.index(after: slash)...]))
        guard let bytes = try? PrivateFolder(folder).read(name, limit: limit) else { throw .unreadable }
        return bytes
    }

    /// Calls `download` to create a file with the data of the user, and moves it to a new name in the folder for
    /// documents.
    ///
    /// - Returns: The path of the file.
    /// - Throws: `AccountFailure`.
    func saveExport(
        _ download: @Sendable (String) async throws(AccountFailure) -> Void
    ) async throws(AccountFailure) -> String {
        do throws(StoreFailure) { try documents.make() } catch {
            throw AccountFailure(.storeUnavailable, error.message)
        }
        let part = documents.path(".callrunner-\(UInt64.random(in: 0 ... .max)).json")
        defer { unlink(part) }
        try await download(part)
        let names = SavedName("callrunner account \(Timestamp.now.description.prefix(10)).json", limit: 200)
        do throws(FileMove.Failure) {
            return try names.move(part, to: documents.path, isSynced: true)
        } catch {
            let path = documents.path(names.name(1))
            throw AccountFailure(.storeUnavailable, "\(path) cannot be created: \(error.reason)")
        }
    }
}

extension KnownProfile {
    /// Decodes a stored profile; nil if it is invalid.
    fileprivate init?(_ json: JSON) {
        guard let confirmed = json["confirmed"].flatMap({ Profile($0) }) else { return nil }
        self.init(
            confirmed: confirmed,
            picture: json["picture"]?.stringValue.flatMap { Base64.decode($0) },
            unsent: json["unsent"].flatMap { $0 == .null ? nil : ProfileChange($0) }
        )
    }

    fileprivate var json: JSON {
        [
            "confirmed": confirmed.json, "picture": picture.map { .string(Base64.encode($0)) } ?? .null,
            "unsent": unsent?.json ?? .null,
        ]
    }
}
