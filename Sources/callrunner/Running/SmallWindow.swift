internal import AppFlow
internal import Basics
internal import LiveCore
internal import Synchronization
internal import WindowKit

/// The sink of the app's live stream, which shows the stream in a small window above others when the user requests
/// that.
final class SmallWindow: VideoSink {
    private struct State {
        /// The sink of the small window; nil while there is none.
        var small: (any VideoSink)?
        /// The newest frame of the stream, for a window that opens while the stream is stalled.
        var newest: VideoFrame?
    }

    private let app: any VideoSink
    private let state = Mutex(State())
    private let surroundings: Surroundings

    /// Creates the sink of the stream: frames go to the small window while it is open, else to `app`.
    init(insteadOf app: any VideoSink, _ surroundings: Surroundings) {
        (self.app, self.surroundings) = (app, surroundings)
    }

    private var current: any VideoSink { state.withLock { $0.small } ?? app }

    func show(_ frame: VideoFrame, from side: MediaSide) {
        let small = state.withLock { state in
            state.newest = frame
            return state.small
        }
        (small ?? app).show(frame, from: side)
    }

    var isSeen: Bool { current.isSeen }

    var shownHeight: Int? { current.shownHeight }

    /// Sends frames to the sink of the small window from now on, or to that of the app if nil, beginning with the
    /// newest frame.
    private func move(to small: (any VideoSink)?) {
        let newest = state.withLock { state in
            state.small = small
            return state.newest
        }
        if let newest { (small ?? app).show(newest, from: .remote) }
    }

    /// Opens and closes the window as the user requests, until the task is cancelled.
    func follow(_ live: LiveViewModel, _ settings: SettingsViewModel) async {
        async let forgotten: Void = forgetOldFrames(live)
        var isWarned = false
        for await isSmall in live.isSmall.states where isSmall {
            do throws(WindowError) {
                let window = try await WindowController.open(title: "callrunner", style: .small)
                if !isWarned, await WindowStyle.small.isIgnored {
                    isWarned = true
                    surroundings.console.say("Wayland cannot keep the small window above others", .dim)
                }
                await hold(window, live, settings)
            } catch {
                surroundings.console.say(
                    "the small window cannot be opened: \(error.message)",
                    .failure
                )
                live.setSmall(false)
            }
        }
        await forgotten
    }

    /// Discards the newest frame whenever the selected stream changes.
    private func forgetOldFrames(_ live: LiveViewModel) async {
        var address: LiveAddress?
        for await playback in live.store.states where playback.address != address {
            address = playback.address
            state.withLock { $0.newest = nil }
        }
    }

    /// Shows the stream in the window until the user closes the window or moves the stream back to the app.
    private func hold(
        _ window: WindowController,
        _ live: LiveViewModel,
        _ settings: SettingsViewModel
    ) async {
        move(to: window.sink)
        await withDiscardingTaskGroup { group in
            group.addTask {
                await window.closed()
                live.setSmall(false)
            }
            group.addTask { await self.clear(window, atChangesOf: live) }
            group.addTask { await window.draw(LiveViewModel(smallFor: live), settings) }
            group.addTask {
                await window.follow(DesktopAppearance(environment: self.surroundings.environment))
            }
            for await isSmall in live.isSmall.states where !isSmall { break }
            move(to: nil)
            group.cancelAll()
        }
        await window.close(surroundings.console, surroundings.events)
    }

    /// Clears the window whenever the selected stream changes, and closes it when no stream is selected.
    private func clear(_ window: WindowController, atChangesOf live: LiveViewModel) async {
        var address = live.store.state.address
        for await playback in live.store.states where playback.address != address {
            address = playback.address
            await window.clear()
            if address == nil { live.setSmall(false) }
        }
    }
}
