package import ChatCore
internal import LiveCore

/// The sound of a message that is played in its conversation, one at a time.
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

    /// The part that was played, 0…1.
    package var share: Double {
        guard let duration, duration > .zero else { return 0 }
        return min(max(0, position / duration), 1)
    }

    /// Whether the user can move to another part.
    package var canBeMoved: Bool {
        switch phase {
        case .playing, .paused: duration != nil
        case .loading, .failed: false
        }
    }

    /// Follows the player of the sound.
    mutating func follow(_ playback: LivePlayback) {
        duration = playback.progress.duration ?? duration
        switch playback.state {
        case .empty, .loading: phase = .loading
        case .playing, .buffering: (phase, position) = (.playing, playback.progress.position)
        case .paused: (phase, position) = (.paused, playback.progress.position)
        // It can be heard again, from its beginning.
        case .ended: (phase, position) = (.paused, .zero)
        case .offline(let failure, _), .notLive(let failure), .failed(let failure):
            phase = .failed(.refused(code: "not_played", message: "\(failure.message)"))
        }
    }
}

extension ChatTransfers {
    /// A sound to be played.
    enum SoundSource: Hashable, Sendable {
        case message(ChatMedia)
        /// A recording of the user that was not sent.
        case recording(id: String, path: String)

        var id: String {
            switch self {
            case .message(let media): media.id
            case .recording(let id, _): id
            }
        }
    }

    /// A request for the sound that plays.
    enum SoundRequest: Hashable, Sendable {
        /// Plays another sound; nil for none.
        case play(SoundSource?)
        case pause
        case resume
        case seek(Duration)
    }

    /// Returns the sound that plays if it is the one with this ID.
    package func sound(of id: String) -> ChatSound? { sound.flatMap { $0.id == id ? $0 : nil } }

    /// Plays a sound, or pauses it, or plays it on.
    mutating func toggleSound(_ media: ChatMedia) -> SoundRequest? {
        toggle(.message(media), lasting: media.duration.map { .seconds($0) })
    }

    /// Does the same with a recording of the user, which is the file at `path`.
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

    /// Moves to a part, 0…1, of the sound that plays.
    func seekSound(_ id: String, to share: Double) -> SoundRequest? {
        guard let sound = sound(of: id), sound.canBeMoved, let duration = sound.duration else { return nil }
        return .seek(duration * min(max(0, share), 1))
    }

    /// Follows the player of the sound with an ID, unless another one plays by now.
    mutating func follow(_ playback: LivePlayback, of id: String) {
        if sound?.id == id { sound?.follow(playback) }
    }

    mutating func failSound(_ id: String, _ error: ChatError) {
        if sound?.id == id { sound?.phase = .failed(error) }
    }
}
