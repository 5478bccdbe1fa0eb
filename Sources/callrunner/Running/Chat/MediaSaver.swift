internal import Basics
internal import ChatCore
internal import GLibKit

/// The saving of the files that the other person of a conversation has sent, each one once.
actor MediaSaver {
    /// The maximum number of losses of the network after which a file is tried again, if the conversation goes on.
    private static let mostLosses = 3

    private let executor = GLibExecutor(threadName: "chat-files")
    private let folder: MediaFolder
    private let session: ChatSession
    private let own: Int
    /// The IDs of the files that this run has saved or has tried to.
    private var done: Set<String> = []
    /// The number of times that the network was lost during the download of a file.
    private var losses: [String: Int] = [:]
    /// Whether a file was not saved.
    private(set) var hasFailed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ folder: MediaFolder, _ session: ChatSession, own: Int) {
        (self.folder, self.session, self.own) = (folder, session, own)
    }

    /// Saves the files of messages as they come, until the conversation ends.
    func follow(_ conversation: Conversation) async {
        for await state in conversation.state.states where state.link == .open { await save(state.items) }
    }

    /// Saves the files of messages that are not in the folder yet.
    func save(_ items: [ChatItem]) async {
        if done.isEmpty { folder.clean() }
        for item in items where !item.isMine && item.progress == .stored {
            guard !Task.isCancelled else { return }
            guard let media = item.message.media, done.insert(media.id).inserted else { continue }
            await save(media, media.fileName(item.message.text))
        }
    }

    private func save(_ media: ChatMedia, _ name: String) async {
        let (console, events) = (session.surroundings.console, session.surroundings.events)
        do throws(ChatError) {
            let saved = try await folder.save(media, as: name, once: true, from: session.service, for: own)
            guard let path = saved else { return }
            await events.write(
                "chat.saved",
                ["id": .string(media.id), "path": .string(path), "bytes": .int(media.bytes)]
            )
            console.say("saved \(path)")
        } catch {
            guard !Task.isCancelled else { return }
            if case .network = error, losses[media.id, default: 0] < Self.mostLosses {
                // The next state of the conversation leads to another attempt.
                losses[media.id, default: 0] += 1
                done.remove(media.id)
                return
            }
            hasFailed = true
            let shown = name.printable(limit: 60)
            await events.write(
                "chat.not_saved",
                ["id": .string(media.id), "name": .string(shown), "reason": .string(error.message)]
            )
            console.say("not saved: \(shown): \(error.message)", .failure)
        }
    }
}
