package import ChatCore
internal import LiveCore

/// The audio or video of a message, or a recording, that is played in its conversation; only one is played at a time.
package struct ChatSound: Hashable, Sendable {
    package enum Phase: Hashable, Sendable {
        case loading
        case playing
        case paused
        case failed(ChatError)
    }

    /// The ID of the file.
    package let id: String
    package var phase = Phase.loading
    package var position = Duration.zero
    /// The duration; nil until it is known.
    package var duration: Duration?

    package init(_ id: String) { self.id = id }

    /// The fraction that has been played, 0…1.
    package var share: Double {
        guard let duration, duration > .zero else { return 0 }
        return min(max(0, position / duration), 1)
    }

    /// Whether the user can seek.
    package var canBeMoved: Bool {
        switch phase {
        case .playing, .paused: duration != nil
        case .loading, .failed: false
        }
    }

    /// Updates the state from that of the player.
    mutating func follow(_ playback: LivePlayback) {
        duration = playback.progress.duration ?? duration
        switch playback.state {
        case .empty, .loading: phase = .loading
        case .playing, .buffering: (phase, position) = (.playing, playback.progress.position)
        case .paused: (phase, position) = (.paused, playback.progress.position)
        // The audio can be played again from its beginning.
        case .ended: (phase, position) = (.paused, .zero)
        case .offline(let failure, _), .notLive(let failure), .failed(let failure):
            phase = .failed(.refused(code: "not_played", message: "\(failure.message)"))
        }
    }
}

extension ChatTransfers {
    /// The source of the audio to play.
    enum SoundSource: Hashable, Sendable {
        case message(ChatMedia)
        /// A recording that the user has not sent.
        case recording(id: String, path: String)

        var id: String {
            switch self {
            case .message(let media): media.id
            case .recording(let id, _): id
            }
        }
    }

    /// A request to the player.
    enum SoundRequest: Hashable, Sendable {
        /// Plays another source; nil stops the playback.
        case play(SoundSource?)
        case pause
        case resume
        case seek(Duration)
    }

    /// Returns the current audio if it has this ID.
    package func sound(of id: String) -> ChatSound? { sound.flatMap { $0.id == id ? $0 : nil } }

    /// Starts, pauses or resumes the audio or video of a message, and returns the request to the player.
    mutating func toggleSound(_ media: ChatMedia) -> SoundRequest? {
        toggle(.message(media), lasting: media.duration.map { .seconds($0) })
    }

    /// Starts, pauses or resumes a recording of the user, whose file is at `path`.
    mutating func toggleSound(of voice: ChatVoice, _ path: String) -> SoundRequest? {
        toggle(.recording(id: voice.id, path: path), lasting: voice.duration)
    }

    private mutating func toggle(_ source: SoundSource, lasting duration: Duration?) -> SoundRequest? {
        guard playsSounds else { return nil }
        if let sound = sound(of: source.id) {
            switch sound.phase {
            case .loading: return nil
            case .playing: return .pause
            case .paused: return .resume
            case .failed: break
            }
        }
        sound = ChatSound(source.id)
        sound?.duration = duration
        return .play(source)
    }

    /// Returns the request to seek to a fraction, 0…1, of the audio; nil if another audio is current, or if seeking is
    /// not possible now.
    func seekSound(_ id: String, to share: Double) -> SoundRequest? {
        guard let sound = sound(of: id), sound.canBeMoved, let duration = sound.duration else { return nil }
        return .seek(duration * min(max(0, share), 1))
    }

    /// Updates the audio with this ID from the player, unless another one is current.
    mutating func follow(_ playback: LivePlayback, of id: String) {
        if sound?.id == id { sound?.follow(playback) }
    }

    /// Removes the current audio or video if its message has been deleted.
    ///
    /// - Returns: Whether it was removed, so that the player must be stopped.
    mutating func endSound(of items: [ChatItem], deletedIn newItems: [ChatItem]) -> Bool {
        guard let sound else { return false }
        // Several messages may have the same file.
        let keys = Set(items.lazy.filter { $0.message.media?.id == sound.id }.map(\.key))
        let rest = newItems.filter { keys.contains($0.key) }
        guard !rest.isEmpty, rest.allSatisfy(\.message.isDeleted) else { return false }
        self.sound = nil
        return true
    }

    mutating func failSound(_ id: String, _ error: ChatError) {
        if sound?.id == id { sound?.phase = .failed(error) }
    }
}
