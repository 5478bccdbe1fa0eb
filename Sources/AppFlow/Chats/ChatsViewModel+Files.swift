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
        /// Loads a picture that is in view; `again` retries it after a failure.
        case load(ChatMedia, again: Bool)
        case save(ChatMedia, name: String)
        /// Starts, pauses or resumes the audio or video of a message.
        case toggleSound(ChatMedia)
        /// Seeks to a fraction, 0…1, of the current audio.
        case seekSound(id: String, share: Double)
    }

    /// A request for a file, which the flow performs in the background.
    enum FileRequest: Hashable, Sendable {
        case choose(FileDialog, peer: Int)
        case upload(ChatTransfers.Upload)
        case load(ChatMedia)
        case save(ChatMedia, name: String)
        case sound(ChatTransfers.SoundRequest)
        case voice(VoiceRequest)
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
        case .toggleSound(let media): return transfers.toggleSound(media).map { .sound($0) }
        case .seekSound(let id, let share): return transfers.seekSound(id, to: share).map { .sound($0) }
        }
        return nil
    }

    /// Handles a failure to send the message of an uploaded file; returns whether to send it again after a pause.
    func didRefuse(_ message: String, _ error: ChatError) -> Bool {
        var isPaused = false
        store.update { state in isPaused = state.transfers.refuse(message, error) }
        return isPaused
    }
}

extension ChatTransfers.Upload {
    /// The command by which the conversation sends the message.
    func command(at time: Timestamp) -> ConversationStateMachine.Command {
        .send(id: file.id, text: name, media: file.media, replyTo: nil, at: ChatTime(time))
    }

    /// The request by which the inbox sends the message.
    var request: ChatRequest {
        .message(id: file.id, text: name, media: file.media?.id, replyTo: nil)
    }
}
