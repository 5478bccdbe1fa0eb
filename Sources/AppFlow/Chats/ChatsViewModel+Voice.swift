internal import Basics
internal import ChatCore

extension ChatsViewModel {
    package enum VoiceAction: Hashable, Sendable {
        case record
        /// Ends the recording, which can then be heard and sent.
        case stop
        /// Sends the recording, which ends if it has not yet.
        case send
        case discard
        /// Plays the recording, or pauses it, or plays it on.
        case toggle
        /// Moves to a part, 0…1, of the recording that plays.
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
            // Another sound plays on.
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

    /// Notes the file of a recording that begins; false if it was ended meanwhile.
    func willRecord(_ id: String, to path: String, for peer: Int) -> Bool {
        var isWanted = false
        store.update { state in
            guard let voice = state.voices[peer], voice.id == id else { return }
            isWanted = voice.phase == .starting
            if isWanted { state.voices[peer]?.path = path } else { state.voices[peer] = nil }
        }
        return isWanted
    }

    /// Follows the level of the microphone; returns false if the recording is as long as it may be.
    func hear(_ decibels: Double, _ id: String, for peer: Int) -> Bool {
        var goesOn = true
        store.update { state in
            if state.voices[peer]?.id == id { goesOn = state.voices[peer]?.hear(decibels) ?? true }
        }
        return goesOn
    }

    /// Notes that a recording is complete, or the reason why it has ended early; what was recorded stays.
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

    /// Ends the recording, because its conversation is not shown any more.
    func endRecordings() {
        store.update { state in
            for peer in state.voices.keys { _ = state.endRecording(of: peer, isSent: false) }
        }
    }
}

extension ChatsViewModel.State {
    /// Lets a recording end, and returns its ID; nil if none is made.
    mutating func endRecording(of peer: Int, isSent: Bool) -> String? {
        switch voices[peer]?.phase {
        case .starting?, .recording?:
            voices[peer]?.phase = .ending(isSent: isSent)
            return voices[peer]?.id
        case .ending?, .recorded?, nil: return nil
        }
    }

    /// Lets a recording take its way to the person, whose conversation is nil if it is not open.
    ///
    /// - Throws: `ChatError` if it cannot now, so that it stays.
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
