internal import GStreamerKit
internal import Synchronization

/// Detects that an active source has stopped delivering samples, for example because a server no longer sends
/// but keeps the connection open.
@MediaActor
final class SilenceWatch {
    private let latest: Latest
    private let limit: UInt64
    private let attachments: [SampleHub.Attachment]
    private let notify: @MediaActor @Sendable () -> Void
    private var watcher: Task<Void, Never>?

    /// Creates a watch, which is off at first.
    ///
    /// While it is on, it calls `notify` once if none of `tracks` delivers a sample for `limit` seconds.
    init(_ tracks: [SourceTrack], limit: UInt64 = 5, notify: @escaping @MediaActor @Sendable () -> Void) {
        let latest = Latest()
        self.latest = latest
        self.limit = limit * 1_000_000_000
        self.notify = notify
        attachments = tracks.map { track in track.hub.attach { _ in latest.note() } }
    }

    /// Starts or stops watching.
    func set(isOn: Bool) {
        watcher?.cancel()
        guard isOn else { return }
        latest.note()
        watcher = Task { [latest, limit, notify] in
            // Sleeps until the limit after the last sample would be reached, and checks again.
            while !Task.isCancelled {
                let silence = latest.age
                guard silence < limit else { return notify() }
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

    /// The time of the last sample on the shared clock.
    private final class Latest: Sendable {
        private let time = Atomic<UInt64>(0)

        func note() { time.store(MediaClock.shared.now, ordering: .relaxed) }

        /// The time since the last sample in nanoseconds.
        var age: UInt64 {
            let (now, then) = (MediaClock.shared.now, time.load(ordering: .relaxed))
            return now > then ? now - then : 0
        }
    }
}
