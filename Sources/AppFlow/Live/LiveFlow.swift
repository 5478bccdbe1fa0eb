internal import Basics
internal import CallCore
package import LiveCore

/// The flow of live streams: one player for the whole app, which plays on while other screens are shown.
@MainActor package final class LiveFlow {
    package nonisolated let model: HomeViewModel
    package nonisolated let player: LivePlayer
    private let services: any AppServices
    private let settings: SettingsViewModel
    private let recordings: any RecordingStore
    private let listings = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    nonisolated init(
        _ player: LivePlayer,
        _ previews: RecordingPreviews,
        services: any AppServices,
        settings: SettingsViewModel,
        recordings: any RecordingStore
    ) {
        (self.player, self.services) = (player, services)
        (self.settings, self.recordings) = (settings, recordings)
        model = HomeViewModel(LiveViewModel(inAppWith: player), previews)
    }

    /// Plays until `finish()` is called; a call mutes the stream.
    func run(beside calls: CallsFlow) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.list() }
            group.addTask { await self.silence(during: calls) }
            async let played: Void = player.run()
            await played
            // The app's own stream may still be awaited.
            group.cancelAll()
        }
    }

    func finish() {
        player.finish()
        listings.continuation.finish()
    }

    /// Lists what can be played, and begins to play when Home is shown for the first time.
    func opened() { listings.continuation.yield() }

    private func list() async {
        var own: [LiveItem]?
        for await _ in listings.stream {
            let others = services.samples + (await recordings.list()).map(LiveItem.recording)
            if let own { model.show(own + others) } else { own = await begin(with: others) }
        }
    }

    /// Shows these items and the app's own stream, and begins to play.
    ///
    /// - Returns: The app's own stream, if it offers one.
    private func begin(with others: [LiveItem]) async -> [LiveItem] {
        let address = await services.ownStream(settings.store.state.effective)
        let own = address.map { [LiveItem.own($0)] } ?? []
        model.show(own + others)
        var isPublished = false
        if address != nil { isPublished = await services.ownStreamIsPublished() }
        model.begin(isPublished ? own + others : others)
        return isPublished ? own : []
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
