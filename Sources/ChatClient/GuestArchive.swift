internal import Basics
internal import ChatCore
internal import GLibKit
package import UserStore

/// The chat ID of a user without an account, stored in the configuration folder.
package actor GuestArchive {
    /// The ID and the name of the user on an original server.
    package static let original = (id: 99, name: "You")
    private static let file = "guest.json"

    private let executor = GLibExecutor(threadName: "guest")
    private let folder: PrivateFolder?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates the archive in the configuration folder; without a folder, `id()` returns a new ID for each call.
    package init(_ folder: PrivateFolder?) { self.folder = folder?.folder("chat") }

    /// Returns the stored ID, or creates a random one and stores it.
    package func id() -> Int {
        guard let folder else { return .random(in: ChatPerson.guests) }
        // The lock ensures that two processes that start at the same time use the same ID.
        let lock = try? FolderLock(folder)
        defer { extendLifetime(lock) }
        if let kept = kept(in: folder) { return kept }
        let id = Int.random(in: ChatPerson.guests)
        let json: JSON = ["id": .int(id)]
        // If the file cannot be written, the next call returns a different ID.
        try? folder.write(Array(json.serialized().utf8), to: Self.file)
        return id
    }

    private func kept(in folder: PrivateFolder) -> Int? {
        guard let bytes = try? folder.read(Self.file), let id = (try? JSON(parsing: bytes))?["id"]?.intValue
        else { return nil }
        return ChatPerson.guests.contains(id) ? id : nil
    }
}
