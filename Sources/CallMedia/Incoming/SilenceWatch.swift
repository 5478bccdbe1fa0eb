internal import GStreamerKit
internal import Synchronization

/// Notices that a source which ought to play brings nothing any more, as servers do that just fall silent.
@MediaActor
final class SilenceWatch {
    private let latest: Latest
    private let limit: UInt64
    private let attachments: [SampleHub.Attachment]
    private let tell: @MediaActor @Sendable () -> Void
    private var watcher: Task<Void, Never>?

    /// Calls `tell` once where none of `tracks` brings anything for `limit` seconds while it is on.
    init(_ tracks: [SourceTrack], limit: UInt64 = 5, tell: @escaping @MediaActor @Sendable () -> Void) {
        let latest = Latest()
        self.latest = latest
        self.limit = limit * 1_000_000_000
        self.tell = tell
        attachments = tracks.map { track in track.hub.attach { _ in latest.note() } }
    }

    /// Looks from now on, or no longer.
    func set(isOn: Bool) {
        watcher?.cancel()
        guard isOn else { return }
        latest.note()
        watcher = Task { [latest, limit, tell] in
            // Sleeps until silence could be due after the last sample, and looks again.
            while !Task.isCancelled {
                let silence = latest.age
                guard silence < limit else { return tell() }
                guard (try? await Task.sleep(for: .nanoseconds(Int64(limit - silence)))) != nil else {
                    return
                }
            }
        }
    }

    func close() async {
        for attachment in attachments { attachment.detach() }
        watcher?.cancel()
        await watcher?.value
    }

    /// When the last sample came, on the shared time line.
    private final class Latest: Sendable {
        private let time = Atomic<UInt64>(0)

        func note() { time.store(MediaClock.shared.now, ordering: .relaxed) }

        /// Nanoseconds since then.
        var age: UInt64 {
            let (now, then) = (MediaClock.shared.now, time.load(ordering: .relaxed))
            return now > then ? now - then : 0
        }
    }
}
