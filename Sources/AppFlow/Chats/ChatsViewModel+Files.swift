internal import Basics
package import ChatCore

extension ChatsViewModel {
    package enum FileAction: Hashable, Sendable {
        /// Lets the user choose a file in a dialog of the desktop.
        case choose(FileDialog)
        /// Sends a file.
        case send(path: String)
        case retry(upload: Int)
        case remove(upload: Int)
        /// Loads a picture that is in view; `again` also after a failure.
        case load(ChatMedia, again: Bool)
        case save(ChatMedia, name: String)
    }

    /// A request for a file, which takes time.
    enum FileRequest: Hashable, Sendable {
        case choose(FileDialog, peer: Int)
        case upload(ChatTransfers.Upload)
        case load(ChatMedia)
        case save(ChatMedia, name: String)
    }

    func handle(_ action: FileAction, _ chat: inout OpenChat, _ transfers: inout ChatTransfers)
        -> FileRequest?
    {
        let peer = chat.person.id
        switch action {
        case .choose(let dialog): return .choose(dialog, peer: peer)
        case .send(let path):
            guard chat.isExtended else {
                chat.failure = chat.conversation.mode == nil ? .notConnected : .notSupported
                return nil
            }
            guard let upload = transfers.add(path, to: peer) else {
                chat.failure = .outboxFull
                return nil
            }
            return .upload(upload)
        case .retry(let id): return transfers.retry(id).map { .upload($0) }
        case .remove(let id): transfers.removeUpload(id)
        case .load(let media, let again): return transfers.load(media.id, again: again) ? .load(media) : nil
        case .save(let media, let name):
            if transfers.savings[media.id] == .saving { return nil }
            transfers.savings[media.id] = .saving
            return .save(media, name: name)
        }
        return nil
    }

    /// Returns the commands that send the files to a person that the server has.
    func sendUploaded(to peer: Int) -> [ConversationStateMachine.Command] {
        var done: [ChatTransfers.Upload] = []
        store.update { state in done = state.transfers.takeUploaded(to: peer) }
        return done.map { upload in
            // What a picture, a sound or a video is can be seen.
            let text = upload.media?.kind == .file ? upload.name : ""
            return .send(
                id: OutgoingMessage.newID(),
                text: text,
                media: upload.media,
                replyTo: nil,
                at: ChatTime(now())
            )
        }
    }
}
