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
    private let notices: Notices
    private let listings = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The titles of the dialogs for choosing a file that the user asks for.
    private let dialogs: AsyncStream<String>
    private let dialogContinuation: AsyncStream<String>.Continuation

    nonisolated init(
        _ player: LivePlayer,
        _ previews: RecordingPreviews,
        services: any AppServices,
        settings: SettingsViewModel,
        recordings: any RecordingStore,
        notices: Notices
    ) {
        (dialogs, dialogContinuation) = AsyncStream.makeStream(of: String.self)
        (self.player, self.services) = (player, services)
        (self.settings, self.recordings, self.notices) = (settings, recordings, notices)
        model = HomeViewModel(LiveViewModel(inAppWith: player), previews, notices) { [dialogContinuation] in
            dialogContinuation.yield($0)
        }
    }

    /// Plays until `finish()` is called; a call mutes the stream.
    func run(beside calls: CallsFlow) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.list() }
            group.addTask { await self.silence(during: calls) }
            group.addTask { await self.chooseFiles() }
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
        var own: LiveItem?
        var hasBegun = false
        for await _ in listings.stream {
            let others = services.samples + (await recordings.list()).map(LiveItem.recording)
            if own == nil, let item = await ownItem() {
                // At the first visit, the user sees what is waited for.
                model.show(hasBegun ? others : [item] + others)
                if await services.ownStreamIsPublished() { own = item }
            }
            let items = (own.map { [$0] } ?? []) + others
            if hasBegun { model.show(items) } else { model.begin(items) }
            hasBegun = true
        }
    }

    /// Offers the app's own stream; nil if there is none.
    private func ownItem() async -> LiveItem? {
        await services.ownStream(settings.store.state.effective).map(LiveItem.own)
    }

    /// Lets the user choose files in dialogs of the desktop, and plays them.
    private func chooseFiles() async {
        for await title in dialogs {
            do {
                if let path = try await services.chooseFile(title: title) {
                    model.store.update { $0.isStarting = false }
                    model.live.play(.file(path))
                }
            } catch {
                if !Task.isCancelled { notices.post(.noFileDialog("\(error)")) }
            }
            model.store.update { $0.isChoosingFile = false }
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
