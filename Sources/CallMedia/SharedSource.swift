internal import CallCore
package import GStreamerKit

/// One source for several calls of a process: opened, read and parsed once, whoever of them comes first.
@MediaActor
package final class SharedSource {
    private var opening: Task<SourceOpener.Opened, any Error>?
    private var source: (any LocalSource)?
    /// Who gets something now.
    private var listeners: Set<Int> = []
    private var hearers: [Int: @Sendable (MediaFailure) -> Void] = [:]
    private var tellers: [Int: @Sendable (MediaNotice) -> Void] = [:]
    private var watcher: Task<Void, Never>?
    private var teller: Task<Void, Never>?
    private var nextID = 0
    private let failures: AsyncStream<MediaFailure>
    private let failureNews: AsyncStream<MediaFailure>.Continuation
    private let notices: AsyncStream<MediaNotice>
    private let noticeNews: AsyncStream<MediaNotice>.Continuation
    private var warming: Task<Void, any Error>?

    nonisolated package init() {
        (failures, failureNews) = AsyncStream.makeStream(of: MediaFailure.self)
        (notices, noticeNews) = AsyncStream.makeStream(of: MediaNotice.self)
    }

    /// The source as one call sees it; `failures` and `tell` hear what all hear.
    ///
    /// - Throws: what opening it threw, to everybody.
    func open(
        _ configuration: MediaConfiguration,
        failures: AsyncStream<MediaFailure>.Continuation,
        tell: @escaping @Sendable (MediaNotice) -> Void
    ) async throws -> SourceOpener.Opened {
        let task = opening ?? Task { try await openFirst(configuration) }
        opening = task
        let opened = try await task.value
        source = opened.source
        nextID += 1
        hearers[nextID] = { failures.yield($0) }
        tellers[nextID] = tell
        let share = SourceShare(of: self, id: nextID, tracks: opened.source.tracks)
        return SourceOpener.Opened(source: share, notice: opened.notice)
    }

    private func openFirst(_ configuration: MediaConfiguration) async throws -> SourceOpener.Opened {
        watcher = Task { [weak self, failures] in for await failure in failures { self?.tellAll(failure) } }
        teller = Task { [weak self, notices] in for await notice in notices { self?.tellAll(notice) } }
        let opener = SourceOpener(configuration: configuration, failures: failureNews) { [noticeNews] in
            noticeNews.yield($0)
        }
        return try await opener.open()
    }

    private func tellAll(_ failure: MediaFailure) { for hear in hearers.values { hear(failure) } }

    private func tellAll(_ notice: MediaNotice) { for tell in tellers.values { tell(notice) } }

    /// Loads what the first call of a process must load; the others wait for it.
    func warmUp(_ load: @escaping @MediaActor @Sendable () async throws -> Void) async throws {
        let task = warming ?? Task { try await load() }
        warming = task
        try await task.value
    }

    func connectionIsUp(for id: Int) throws {
        let isFirst = listeners.isEmpty
        listeners.insert(id)
        // Whoever joins later begins at the next keyframe; to begin anew would tear the others' pictures.
        if isFirst { try source?.connectionIsUp() }
    }

    func rest(_ id: Int) {
        guard listeners.remove(id) != nil, listeners.isEmpty else { return }
        source?.rest()
    }

    func leave(_ id: Int) {
        rest(id)
        hearers[id] = nil
        tellers[id] = nil
    }

    /// Closes the source, once every call is over.
    package func finish() async {
        let opened = try? await opening?.value
        await opened?.source.close()
        failureNews.finish()
        noticeNews.finish()
        await watcher?.value
        await teller?.value
    }
}

/// A shared source as one call sees it.
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
