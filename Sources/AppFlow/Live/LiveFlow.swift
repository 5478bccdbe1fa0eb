internal import Basics
internal import CallCore
package import LiveCore

/// The flow of live streams: one player for the whole app, which plays on while other screens are shown.
@MainActor package final class LiveFlow {
    package nonisolated let model: HomeViewModel
    package nonisolated let player: LivePlayer
    private let samples: [LiveItem]
    private let recordings: any RecordingStore
    private let listings = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    nonisolated init(
        _ player: LivePlayer,
        _ previews: RecordingPreviews,
        samples: [LiveItem],
        recordings: any RecordingStore
    ) {
        (self.player, self.samples, self.recordings) = (player, samples, recordings)
        model = HomeViewModel(LiveViewModel(inAppWith: player), previews)
    }

    /// Plays until `finish()` is called; a call mutes the stream.
    func run(beside calls: CallsFlow) async {
        async let played: Void = player.run()
        async let listed: Void = list()
        await silence(during: calls)
        _ = await (played, listed)
    }

    func finish() {
        player.finish()
        listings.continuation.finish()
    }

    /// Lists what can be played, and begins to play when Home is shown for the first time.
    func opened() { listings.continuation.yield() }

    private func list() async {
        for await _ in listings.stream {
            model.show(samples + (await recordings.list()).map(LiveItem.recording))
        }
    }

    /// Mutes the stream during calls, and restores its sound after them.
    private func silence(during calls: CallsFlow) async {
        var before: LiveAudio?
        for await screen in calls.screens {
            let audio = player.playback.state.options.audio
            if case .call = screen {
                guard before == nil else { continue }
                before = audio
                model.live.setSmall(false)
                player.send(.setAudio(LiveAudio(volume: audio.volume, isMuted: true)))
            } else if let audio = before {
                before = nil
                player.send(.setAudio(audio))
            }
        }
    }
}
