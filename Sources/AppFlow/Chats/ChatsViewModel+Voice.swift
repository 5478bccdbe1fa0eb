internal import Basics
internal import ChatCore

extension ChatsViewModel {
    package enum VoiceAction: Hashable, Sendable {
        case record
        /// Ends the recording, which can then be played and sent.
        case stop
        /// Sends the recording, after ending it if necessary.
        case send
        case discard
        /// Starts, pauses or resumes the playback of the recording.
        case toggle
        /// Seeks to a fraction, 0…1, of the recording being played.
        case seek(Double)
    }

    /// A request for the microphone.
    enum VoiceRequest: Hashable, Sendable {
        case record(id: String, peer: Int)
        case stop(id: String)
    }

    func handle(_ action: VoiceAction, _ chat: inout OpenChat, _ state: inout State) -> FileRequest? {
        let peer = chat.person.id
        switch action {
        case .record:
            guard state.canRecord, chat.isExtended, chat.editing == nil, state.voices[peer] == nil else {
                return nil
            }
            let id = OutgoingMessage.newID()
            (state.voices[peer], chat.failure, state.transfers.sound) = (ChatVoice(id), nil, nil)
            return .voice(.record(id: id, peer: peer))
        case .stop: return state.endRecording(of: peer, isSent: false).map { .voice(.stop(id: $0)) }
        case .send:
            guard state.voices[peer]?.phase == .recorded else {
                return state.endRecording(of: peer, isSent: true).map { .voice(.stop(id: $0)) }
            }
            do throws(ChatError) { return try state.sendVoice(of: peer, chat).map { .upload($0) } } catch {
                chat.failure = error
                return nil
            }
        case .discard:
            guard let voice = state.voices.removeValue(forKey: peer) else { return nil }
            guard voice.phase == .recorded else { return .voice(.stop(id: voice.id)) }
            // Other audio continues to play.
            guard state.transfers.sound?.id == voice.id else { return nil }
            state.transfers.sound = nil
            return .sound(.play(nil))
        case .toggle:
            guard let voice = state.voices[peer], voice.phase == .recorded, let path = voice.path else {
                return nil
            }
            return state.transfers.toggleSound(of: voice, path).map { .sound($0) }
        case .seek(let share):
            return state.voices[peer].flatMap { state.transfers.seekSound($0.id, to: share) }.map {
                .sound($0)
            }
        }
    }

    /// Stores the path of a new recording; returns false if the recording was ended in the meantime.
    func willRecord(_ id: String, to path: String, for peer: Int) -> Bool {
        var isWanted = false
        store.update { state in
            guard let voice = state.voices[peer], voice.id == id else { return }
            isWanted = voice.phase == .starting
            if isWanted { state.voices[peer]?.path = path } else { state.voices[peer] = nil }
        }
        return isWanted
    }

    /// Adds a measured level in dBov; returns false if the recording has reached its maximum duration.
    func hear(_ decibels: Double, _ id: String, for peer: Int) -> Bool {
        var goesOn = true
        store.update { state in
            if state.voices[peer]?.id == id { goesOn = state.voices[peer]?.hear(decibels) ?? true }
        }
        return goesOn
    }

    /// Handles the end of a recording; `failure` is the reason if it ended early.
    ///
    /// The part recorded so far is kept.
    func didRecord(_ id: String, for peer: Int, _ failure: ChatError?) {
        var upload: ChatTransfers.Upload?
        store.update { state in
            guard let voice = state.voices[peer], voice.id == id else { return }
            if let failure, state.chat?.person.id == peer { state.chat?.failure = failure }
            guard voice.duration > .zero else { return state.voices[peer] = nil }
            state.voices[peer]?.phase = .recorded
            guard failure == nil, voice.phase == .ending(isSent: true) else { return }
            // Another conversation may be open by now.
            let chat = state.chat.flatMap { $0.person.id == peer ? $0 : nil }
            do throws(ChatError) { upload = try state.sendVoice(of: peer, chat) } catch {
                if chat != nil { state.chat?.failure = error }
            }
        }
        if let upload { perform(.file(.upload(upload))) }
    }

    /// Ends all recordings, because the conversation is no longer shown.
    func endRecordings() {
        store.update { state in
            for peer in state.voices.keys { _ = state.endRecording(of: peer, isSent: false) }
        }
    }
}

extension ChatsViewModel.State {
    /// Ends a recording, and returns its ID; nil if there is none in progress.
    mutating func endRecording(of peer: Int, isSent: Bool) -> String? {
        switch voices[peer]?.phase {
        case .starting?, .recording?:
            voices[peer]?.phase = .ending(isSent: isSent)
            return voices[peer]?.id
        case .ending?, .recorded?, nil: return nil
        }
    }

    /// Moves a recording to the files to send; `chat` is nil unless the person's conversation is open.
    ///
    /// - Throws: `ChatError` if the recording cannot be sent now; it is then kept.
    fileprivate mutating func sendVoice(
        of peer: Int,
        _ chat: ChatsViewModel.OpenChat?
    ) throws(ChatError) -> ChatTransfers.Upload? {
        guard var file = voices[peer]?.file(to: peer) else { return nil }
        if let chat, !chat.isExtended { throw chat.conversation.mode == nil ? .notConnected : .notSupported }
        guard transfers.hasRoom else { throw .outboxFull }
        if transfers.sound?.id == file.id { transfers.sound = nil }
        voices[peer] = nil
        file.isNotSent = false
        return transfers.add(file)
    }

    /// The paths of the recordings that are still needed.
    var voicePaths: Set<String> {
        let waiting = transfers.uploads.filter(\.file.isVoice).map(\.path)
        return Set(waiting).union(voices.values.compactMap(\.path))
    }
}
