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
    /// That of the source in use, so that the loss of an earlier one, or one made good too late, replaces nothing.
    private var number: Int

    /// A source, and the number under which `SourceLosses` tell of its loss.
    typealias Numbered = (source: any LocalSource, number: Int)

    /// Sends what `first` has until `losses` tells of its end, and then what `replacement` makes, each time anew.
    ///
    /// `news` hears of a loss that nothing can make good.
    init(
        _ first: Numbered,
        losses: SourceLosses,
        news: SourceEvents,
        replacement: @escaping @MediaActor @Sendable (MediaFailure) async throws -> Numbered
    ) {
        (source, number) = first
        tracks = first.source.tracks.map { SourceTrack(kind: $0.kind, format: $0.format, hub: SampleHub()) }
        attach()
        reader = Task { [weak self, losses = losses.losses] in
            for await loss in losses where self?.number == loss.number {
                do {
                    let other = try await replacement(loss.failure)
                    guard self?.number == loss.number else {
                        await other.source.close()
                        continue
                    }
                    guard await self?.replace(by: other) == true else { return }
                } catch is CancellationError {
                    return
                } catch {
                    guard self?.number == loss.number else { continue }
                    return news.failed(loss.failure)
                }
            }
        }
    }

    /// Goes on with another source, which has what this one has.
    ///
    /// - Returns: false where this source is closed.
    @discardableResult
    func replace(by other: Numbered) async -> Bool {
        guard !Task.isCancelled, !isClosed else {
            await other.source.close()
            return false
        }
        for attachment in attachments { attachment.detach() }
        let lost = source
        (source, number) = other
        attach()
        if isUp { try? source.connectionIsUp() }
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
