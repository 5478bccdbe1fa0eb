internal import Basics
package import GStreamerKit

/// A source shared by several calls of a process; the first call opens it.
@MediaActor
package final class SharedSource {
    private var opening: Task<SourceOpener.Opened, any Error>?
    private var source: (any LocalSource)?
    /// The IDs of the calls that are connected.
    private var listeners: Set<Int> = []
    private var subscribers: [Int: Subscriber] = [:]
    private var forwarder: Task<Void, Never>?
    private var nextID = 0
    private let events: AsyncStream<Event>
    private let event: AsyncStream<Event>.Continuation
    private var warming: Task<Void, any Error>?

    nonisolated package init() {
        (events, event) = AsyncStream.makeStream(of: Event.self)
    }

    /// An event of the source, which is sent to all calls.
    private enum Event: Sendable {
        case failed(MediaFailure)
        case warned(String)
        case ended(String)
        case notice(MediaNotice)
    }

    private struct Subscriber {
        let events: SourceEvents
        let notify: @Sendable (MediaNotice) -> Void

        func receive(_ event: Event) {
            switch event {
            case .failed(let failure): events.failed(failure)
            case .warned(let text): events.warn(text)
            case .ended(let name): events.ended(name)
            case .notice(let notice): notify(notice)
            }
        }
    }

    /// Opens the source for one call; `events` and `notify` receive its events.
    ///
    /// - Throws: the error that occurred when the first call opened the source.
    package func open(
        _ request: SourceRequest,
        events: SourceEvents,
        notify: @escaping @Sendable (MediaNotice) -> Void
    ) async throws -> SourceOpener.Opened {
        let task = opening ?? Task { try await openFirst(request) }
        opening = task
        let opened = try await task.value
        source = opened.source
        nextID += 1
        subscribers[nextID] = Subscriber(events: events, notify: notify)
        let share = SourceShare(of: self, id: nextID, tracks: opened.source.tracks)
        return SourceOpener.Opened(source: share, notice: opened.notice)
    }

    private func openFirst(_ request: SourceRequest) async throws -> SourceOpener.Opened {
        forwarder = Task { [weak self, events] in for await event in events { self?.distribute(event) } }
        let events = SourceEvents(
            failed: { [event] in event.yield(.failed($0)) },
            warn: { [event] in event.yield(.warned($0)) },
            ended: { [event] in event.yield(.ended($0)) }
        )
        let opener = SourceOpener(request: request, events: events) { [event] in
            event.yield(.notice($0))
        }
        return try await opener.open()
    }

    private func distribute(_ event: Event) {
        for subscriber in subscribers.values { subscriber.receive(event) }
    }

    /// Calls `load`, which loads the plugins, for the first WebRTC call; later calls wait until it has finished.
    package func warmUp(_ load: @escaping @MediaActor @Sendable () async throws -> Void) async throws {
        let task = warming ?? Task { try await load() }
        warming = task
        try await task.value
    }

    func connectionIsUp(for id: Int) throws {
        let isFirst = listeners.isEmpty
        listeners.insert(id)
        // A later call starts at the next keyframe, because a restart would disturb the other calls.
        if isFirst { try source?.connectionIsUp() }
    }

    func rest(_ id: Int) {
        guard listeners.remove(id) != nil, listeners.isEmpty else { return }
        source?.rest()
    }

    func leave(_ id: Int) {
        rest(id)
        subscribers[id] = nil
    }

    /// Closes the source; to be called after all calls have ended.
    package func finish() async {
        let opened = try? await opening?.value
        await opened?.source.close()
        event.finish()
        await forwarder?.value
    }
}

/// A source for one call that uses a shared source.
@MediaActor
final class SourceShare: LocalSource {
    let tracks: [SourceTrack]
    private let shared: SharedSource
    private let id: Int

    init(of shared: SharedSource, id: Int, tracks: [SourceTrack]) {
        (self.shared, self.id, self.tracks) = (shared, id, tracks)
    }

    func connectionIsUp() throws { try shared.connectionIsUp(for: id) }

    func rest() { shared.rest(id) }

    func close() async { shared.leave(id) }
}
