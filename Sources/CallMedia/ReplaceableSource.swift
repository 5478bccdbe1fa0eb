internal import CallCore
internal import GStreamerKit

/// A source that may vanish, as cameras and servers do; another then goes on in the same tracks.
@MediaActor
final class ReplaceableSource: LocalSource {
    /// What is sent, wherever it comes from.
    let tracks: [SourceTrack]

    private var source: any LocalSource
    private var attachments: [SampleHub.Attachment] = []
    private var reader: Task<Void, Never>?
    private var isUp = false
    private var isClosed = false
    /// Counts the sources, so that a loss made good too late replaces nothing.
    private var generation = 0

    /// Sends what `first` has until `losses` tells of its end, and then what `replacement` makes, each time anew.
    ///
    /// `news` hears of a loss that nothing can make good.
    init(
        _ first: any LocalSource,
        losses: AsyncStream<MediaFailure>,
        news: SourceNews,
        replacement: @escaping @MediaActor @Sendable (MediaFailure) async throws -> any LocalSource
    ) {
        source = first
        tracks = first.tracks.map { SourceTrack(kind: $0.kind, format: $0.format, hub: SampleHub()) }
        attach()
        reader = Task { [weak self] in
            for await loss in losses {
                let lost = self?.generation
                do {
                    let other = try await replacement(loss)
                    guard self?.generation == lost else {
                        await other.close()
                        continue
                    }
                    guard await self?.replace(by: other) == true else { return }
                } catch is CancellationError {
                    return
                } catch {
                    return news.failed(loss)
                }
            }
        }
    }

    /// Goes on with another source, which has what this one has.
    ///
    /// - Returns: false where this source is closed.
    @discardableResult
    func replace(by other: any LocalSource) async -> Bool {
        guard !Task.isCancelled, !isClosed else {
            await other.close()
            return false
        }
        for attachment in attachments { attachment.detach() }
        let lost = source
        (source, generation) = (other, generation + 1)
        attach()
        if isUp { try? other.connectionIsUp() }
        await lost.close()
        return true
    }

    private func attach() {
        attachments = tracks.compactMap { track in
            source.tracks.first { $0.kind == track.kind }?.hub.attach { [hub = track.hub] in hub.publish($0) }
        }
    }

    func connectionIsUp() throws {
        isUp = true
        try source.connectionIsUp()
    }

    func rest() {
        isUp = false
        source.rest()
    }

    func close() async {
        isClosed = true
        reader?.cancel()
        await reader?.value
        for attachment in attachments { attachment.detach() }
        await source.close()
    }
}
