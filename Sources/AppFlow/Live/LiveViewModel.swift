package import Basics
package import LiveCore

/// The view model of a live stream: the state of its player, and the commands of the user.
@MainActor package final class LiveViewModel: ViewModel {
    /// The window that shows the stream.
    package enum Place: Hashable, Sendable {
        /// The window of the app.
        case app
        /// The small window, which shows the stream instead of the window of the app.
        case small
        /// A window without the rest of the app, as `callrunner live` opens it.
        case alone
    }

    package nonisolated let store: StateStore<LivePlayback>
    package nonisolated let place: Place
    /// Whether the app's stream is shown in a small window.
    package nonisolated let isSmall: StateStore<Bool>
    private let player: LivePlayer
    private let quit: @Sendable () -> Void

    /// Creates the view model of a window that shows only the stream; `quit` ends the playback and closes the window.
    package nonisolated init(_ player: LivePlayer, quit: @escaping @Sendable () -> Void) {
        (self.player, self.quit) = (player, quit)
        (store, place, isSmall) = (player.playback, .alone, StateStore(false))
    }

    /// Creates the view model of the app's window.
    nonisolated init(inAppWith player: LivePlayer) {
        (self.player, quit) = (player, {})
        (store, place, isSmall) = (player.playback, .app, StateStore(false))
    }

    /// Creates the view model of the small window for the stream of an app.
    package nonisolated init(smallFor app: LiveViewModel) {
        (player, store, place, isSmall) = (app.player, app.store, .small, app.isSmall)
        quit = { app.setSmall(false) }
    }

    /// Moves the app's stream to a small window, or back.
    package nonisolated func setSmall(_ isSmall: Bool) {
        guard place != .alone, !isSmall || store.state.address != nil else { return }
        self.isSmall.update { $0 = isSmall }
    }

    package nonisolated func send(_ command: LivePlayerCommand) { player.send(command) }

    /// Plays a stream; if it is already selected, resumes or restarts it.
    package nonisolated func play(_ address: LiveAddress) {
        send(store.state.address == address ? .play : .select(address))
    }

    package nonisolated func toggleSound() {
        var audio = store.state.options.audio
        audio.isMuted.toggle()
        send(.setAudio(audio))
    }

    /// Pauses the stream if it is playing or loading, and plays it otherwise.
    package nonisolated func togglePause() {
        send(store.state.canPause ? .pause : .play)
    }

    /// Handles a key.
    package nonisolated func press(_ key: Shortcut) {
        switch key {
        case .m: toggleSound()
        case .plus, .minus:
            var audio = store.state.options.audio
            audio.volume = PlaybackVolume.next(to: audio.volume, isLouder: key == .plus)
            audio.isMuted = false
            send(.setAudio(audio))
        case .q, .escape: quit()
        case .p: setSmall(place == .app && !isSmall.state)
        case .v: break
        }
    }
}

extension LivePlayback {
    /// The displayed name of the stream or file, without secrets.
    package var name: String {
        switch address {
        case nil: ""
        case .file(let path): path.split(separator: "/").last.map(String.init) ?? path
        case .url(let url):
            url.withoutURLSecrets.prefix { $0 != "?" }.split(separator: "/").last.map(String.init) ?? ""
        }
    }

    /// The host of the stream, with the port if the address has one; nil for a file.
    package var server: String? {
        guard case .url(let url)? = address, let start = url.firstRange(of: "://") else { return nil }
        let authority = url[start.upperBound...].prefix { !"/?#".contains($0) }
        return authority.split(separator: "@").last.map(String.init)
    }

    /// Whether the stream plays, or will play once it is loaded, so that it can be paused.
    package var canPause: Bool {
        switch state {
        case .loading, .playing, .buffering: !options.isPaused
        case .empty, .paused, .offline, .notLive, .ended, .failed: false
        }
    }

    /// Whether the last frame is outdated and shown below a notice.
    package var isStill: Bool {
        switch state {
        case .empty, .loading, .playing, .paused: false
        case .buffering, .offline, .notLive, .ended, .failed: true
        }
    }
}
