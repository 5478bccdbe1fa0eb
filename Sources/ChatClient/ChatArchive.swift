internal import Basics
package import ChatCore
internal import GLibKit
package import UserStore

/// A person's conversations on this computer, one file for each; only the user can read the files.
///
/// The archive runs on its own thread, because disk access may be slow. Several processes may use the same files.
package actor ChatArchive: ChatMemory {
    /// The maximum size of a file in bytes, sufficient for messages of maximum length in which every character is
    /// escaped.
    private static let limit = 64 << 20
    private static let preferences = "preferences.json"

    private let executor = GLibExecutor(threadName: "chat")
    private let folder: PrivateFolder?
    /// The folder for unsent voice messages; nil if nothing is stored.
    package nonisolated let voices: PrivateFolder?
    private let warn: @Sendable (String) -> Void
    /// The IDs of the outgoing messages that this process has read or written, by person.
    ///
    /// Other outgoing messages in the files belong to other processes and are left unchanged.
    private var known: [Int: Set<String>] = [:]

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates the archive of the person `own` for a server.
    ///
    /// - Parameters:
    ///   - origin: The origin of the server's URL (RFC 6454).
    ///   - own: The ID of the person.
    ///   - folder: The configuration folder; nil to store nothing.
    ///   - warn: Receives one sentence about each problem.
    package init(
        _ origin: String,
        own: Int,
        folder: PrivateFolder?,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.folder = folder?.folder("chat").folder(Digest.sha256(origin)).folder(String(own))
        voices = self.folder?.folder("voice")
        self.warn = warn
    }

    package func conversation(with peer: Int) -> KeptConversation {
        do throws(StoreFailure) {
            let kept = try read(peer)
            known[peer] = Set(kept.outbox.map(\.id))
            return kept
        } catch {
            warn(error.message)
            return KeptConversation()
        }
    }

    package func keep(_ messages: [ChatMessage], mode: ConversationState.Mode?, with peer: Int) {
        change(peer) { kept in
            kept.messages = messages.suffix(ChatLimits.kept)
            kept.mode = mode ?? kept.mode
        }
    }

    package func keep(_ outbox: [OutgoingMessage], with peer: Int) {
        let ours = known[peer, default: []].union(outbox.map(\.id))
        change(peer) { kept in kept.outbox = kept.outbox.filter { !ours.contains($0.id) } + outbox }
        known[peer] = ours
    }

    package func preferences() -> ChatPreferences {
        do throws(StoreFailure) { return try readPreferences() } catch {
            warn(error.message)
            return ChatPreferences()
        }
    }

    @discardableResult
    package func keep(_ preferences: ChatPreferences, replacing old: ChatPreferences) -> Bool {
        guard let folder else { return true }
        do throws(StoreFailure) {
            let lock = try FolderLock(folder)
            defer { extendLifetime(lock) }
            var kept = try readPreferences()
            kept.apply(preferences, replacing: old)
            try folder.write(Array(kept.json.serialized().utf8), to: Self.preferences)
            return true
        } catch {
            warn("the drafts are not saved: \(error.message); \(error.hint)")
            return false
        }
    }

    private func readPreferences() throws(StoreFailure) -> ChatPreferences {
        guard let bytes = try folder?.read(Self.preferences, limit: Self.limit) else {
            return ChatPreferences()
        }
        return (try? JSON(parsing: bytes)).map { ChatPreferences($0) } ?? ChatPreferences()
    }

    private func change(_ peer: Int, _ body: (inout KeptConversation) -> Void) {
        guard let folder else { return }
        do throws(StoreFailure) {
            let lock = try FolderLock(folder)
            defer { extendLifetime(lock) }
            // A file that cannot be read is not replaced: it may have messages that were not sent.
            var kept = try read(peer, settingAsideDamaged: true)
            body(&kept)
            try folder.write(Array(kept.json.serialized().utf8), to: Self.name(peer))
        } catch {
            warn("the conversation is not saved: \(error.message); \(error.hint)")
        }
    }

    /// Reads a conversation; damaged parts of its file are skipped.
    ///
    /// With `settingAsideDamaged`, a file that is damaged as a whole is copied, because the caller is about to replace
    /// it.
    private func read(
        _ peer: Int,
        settingAsideDamaged: Bool = false
    ) throws(StoreFailure) -> KeptConversation {
        let name = Self.name(peer)
        guard let bytes = try folder?.read(name, limit: Self.limit) else { return KeptConversation() }
        if let json = try? JSON(parsing: bytes) { return KeptConversation(json) }
        if settingAsideDamaged {
            let copy = "\(name).\(UInt32.random(in: .min ... .max)).damaged"
            try folder?.write(bytes, to: copy)
            warn("the file \(name) is damaged; a copy of it is in \(copy)")
        }
        return KeptConversation()
    }

    private static func name(_ peer: Int) -> String { "\(peer).json" }
}

extension KeptConversation {
    /// Parses a stored conversation; damaged parts are skipped.
    fileprivate init(_ json: JSON) {
        self.init()
        let items = json["messages"]?.arrayValue?.suffix(ChatLimits.kept) ?? []
        messages = items.compactMap { try? ChatMessage($0) }
        outbox = (json["outbox"]?.arrayValue?.prefix(ChatLimits.outbox) ?? []).compactMap {
            OutgoingMessage($0)
        }
        mode =
            switch json["mode"]?.stringValue {
            case "plain": .plain
            case "extended": .extended
            default: nil
            }
    }

    fileprivate var json: JSON {
        let name: JSON =
            switch mode {
            case .plain: "plain"
            case .extended: "extended"
            case nil: .null
            }
        return [
            "mode": name, "messages": .array(messages.map(\.json)), "outbox": .array(outbox.map(\.json)),
        ]
    }
}

extension ChatPreferences {
    /// The maximum number of drafts, of files and of muted people.
    private static let most = 1000

    /// Parses stored preferences; damaged parts are skipped.
    fileprivate init(_ json: JSON) {
        self.init()
        for (key, value) in (json["drafts"]?.objectValue ?? [:]).prefix(Self.most) {
            guard let person = Int(key), person > 0, let text = value.stringValue, !text.isEmpty else {
                continue
            }
            drafts[person] = text
        }
        files = (json["files"]?.arrayValue?.prefix(Self.most) ?? []).compactMap { OutgoingFile($0) }
        muted = Set((json["muted"]?.arrayValue?.prefix(Self.most) ?? []).compactMap(\.intValue))
    }

    fileprivate var json: JSON {
        var texts: JSONObject = [:]
        for (person, text) in drafts.sorted(by: { $0.key < $1.key }).prefix(Self.most) {
            texts[String(person)] = .string(text)
        }
        return [
            "drafts": .object(texts), "muted": .array(muted.sorted().prefix(Self.most).map { .int($0) }),
            "files": .array(files.prefix(Self.most).map(\.json)),
        ]
    }
}
