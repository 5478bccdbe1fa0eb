internal import Basics
internal import CallCore
package import LiveCore

/// The flow of live streams: one player for the whole app, which continues while other screens are shown.
@MainActor package final class LiveFlow {
    package nonisolated let model: HomeViewModel
    package nonisolated let player: LivePlayer
    private let services: any AppServices
    private let settings: SettingsViewModel
    private let recordings: any RecordingStore
    private let notices: Notices
    private let listings = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// A stream with an element each time Home is shown, when the app's own stream is requested.
    private let visits = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let dialogs: AsyncStream<FileDialog>
    private let dialogContinuation: AsyncStream<FileDialog>.Continuation
    /// The app's own stream; nil while it cannot be played.
    private var own: LiveItem?
    /// The app's own stream while it is not yet known whether it can be played.
    private var awaited: LiveItem?
    private var progress = Progress.waiting

    /// The progress towards the first stream.
    private enum Progress {
        /// It is not yet known whether the app's own stream is available.
        case waiting
        /// It is known whether the app's own stream is available, and nothing has been played yet.
        case ready
        /// The first item has been chosen.
        case begun
    }

    nonisolated init(
        _ player: LivePlayer,
        _ previews: RecordingPreviews,
        services: any AppServices,
        settings: SettingsViewModel,
        recordings: any RecordingStore,
        notices: Notices
    ) {
        (dialogs, dialogContinuation) = AsyncStream.makeStream(of: FileDialog.self)
        (self.player, self.services) = (player, services)
        (self.settings, self.recordings, self.notices) = (settings, recordings, notices)
        model = HomeViewModel(LiveViewModel(inAppWith: player), previews) { [dialogContinuation] in
            dialogContinuation.yield($0)
        }
    }

    /// Runs the player until `finish()` is called; during calls, the stream is muted.
    func run(beside calls: CallsFlow) async {
        // Selects the loudspeaker before anything is played.
        let speaker = settings.store.state.settings.devices[.speaker]?.id
        if speaker != nil { player.send(.setSpeaker(speaker)) }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.list() }
            group.addTask { await self.publish() }
            group.addTask { await self.silence(during: calls) }
            group.addTask { await self.chooseFiles() }
            group.addTask { await self.followLoudspeaker(from: speaker) }
            async let played: Void = player.run()
            await played
            // The app's own stream may still be awaited.
            group.cancelAll()
        }
    }

    func finish() {
        player.finish()
        listings.continuation.finish()
        visits.continuation.finish()
    }

    /// Lists the playable items, and plays the first one when Home is shown for the first time.
    func opened() {
        listings.continuation.yield()
        visits.continuation.yield()
    }

    private func list() async {
        for await _ in listings.stream {
            let others = services.samples + (await recordings.list()).map(LiveItem.recording)
            let items = ((own ?? awaited).map { [$0] } ?? []) + others
            if progress == .ready {
                progress = .begun
                model.begin(items)
            } else {
                model.show(items)
            }
        }
    }

    /// Starts the app's own stream; while there is none, tries again each time Home is shown.
    private func publish() async {
        for await _ in visits.stream where own == nil {
            if let address = await services.ownStream(settings.store.state.effective) {
                if progress == .waiting {
                    // Lists the stream while it is awaited.
                    awaited = .own(address)
                    listings.continuation.yield()
                }
                if await services.ownStreamIsPublished() { own = .own(address) }
                awaited = nil
            }
            if progress == .waiting { progress = .ready }
            listings.continuation.yield()
        }
    }

    /// Shows dialogs in which the user chooses files, and plays these.
    private func chooseFiles() async {
        for await dialog in dialogs {
            do {
                if let path = try await services.chooseFile(dialog) { model.open(.file(path)) }
            } catch {
                if !Task.isCancelled { notices.post(.noFileDialog) }
            }
            model.store.update { $0.isChoosingFile = false }
        }
    }

    /// Plays on the loudspeaker that is selected in the settings; `first` is the one in use at the start.
    private func followLoudspeaker(from first: String?) async {
        var current = first
        for await state in settings.store.states {
            let selected = state.settings.devices[.speaker]?.id
            guard selected != current else { continue }
            current = selected
            player.send(.setSpeaker(selected))
        }
    }

    /// Mutes the stream during calls, and restores its audio settings afterwards.
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
