internal import CallCore
package import GStreamerKit

/// One source for several calls of a process: opened, read and parsed once, whoever of them comes first.
@MediaActor
package final class SharedSource {
    private var opening: Task<SourceOpener.Opened, any Error>?
    private var source: (any LocalSource)?
    /// Who gets something now.
    private var listeners: Set<Int> = []
    private var hearers: [Int: Hearer] = [:]
    private var teller: Task<Void, Never>?
    private var nextID = 0
    private let words: AsyncStream<Word>
    private let word: AsyncStream<Word>.Continuation
    private var warming: Task<Void, any Error>?

    nonisolated package init() {
        (words, word) = AsyncStream.makeStream(of: Word.self)
    }

    /// What the source says, to all who share it.
    private enum Word: Sendable {
        case failed(MediaFailure)
        case warned(String)
        case ended(String)
        case told(MediaNotice)
    }

    private struct Hearer {
        let news: SourceEvents
        let tell: @Sendable (MediaNotice) -> Void

        func hear(_ word: Word) {
            switch word {
            case .failed(let failure): news.failed(failure)
            case .warned(let text): news.warn(text)
            case .ended(let name): news.ended(name)
            case .told(let notice): tell(notice)
            }
        }
    }

    /// The source as one call sees it; `news` and `tell` hear what all hear.
    ///
    /// - Throws: what opening it threw, to everybody.
    func open(
        _ configuration: MediaConfiguration,
        news: SourceEvents,
        tell: @escaping @Sendable (MediaNotice) -> Void
    ) async throws -> SourceOpener.Opened {
        let task = opening ?? Task { try await openFirst(configuration) }
        opening = task
        let opened = try await task.value
        source = opened.source
        nextID += 1
        hearers[nextID] = Hearer(news: news, tell: tell)
        let share = SourceShare(of: self, id: nextID, tracks: opened.source.tracks)
        return SourceOpener.Opened(source: share, notice: opened.notice)
    }

    private func openFirst(_ configuration: MediaConfiguration) async throws -> SourceOpener.Opened {
        teller = Task { [weak self, words] in for await word in words { self?.tellAll(word) } }
        let news = SourceEvents(
            failed: { [word] in word.yield(.failed($0)) },
            warn: { [word] in word.yield(.warned($0)) },
            ended: { [word] in word.yield(.ended($0)) }
        )
        let opener = SourceOpener(configuration: configuration, news: news) { [word] in
            word.yield(.told($0))
        }
        return try await opener.open()
    }

    private func tellAll(_ word: Word) { for hearer in hearers.values { hearer.hear(word) } }

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
    }

    /// Closes the source, once every call is over.
    package func finish() async {
        let opened = try? await opening?.value
        await opened?.source.close()
        word.finish()
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
