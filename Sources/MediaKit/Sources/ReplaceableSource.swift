internal import Basics
internal import GStreamerKit

/// A source that may be lost, such as a camera or a server, and is then replaced without changing its tracks.
@MediaActor
final class ReplaceableSource: LocalSource {
    /// The tracks, which are independent of the current source.
    let tracks: [SourceTrack]

    private var source: any LocalSource
    private var attachments: [SampleHub.Attachment] = []
    private var reader: Task<Void, Never>?
    private var isUp = false
    private var isClosed = false
    /// The number of the current source; late losses of other sources are ignored.
    private var number: Int

    /// A source with its number in `SourceLosses`.
    typealias Numbered = (source: any LocalSource, number: Int)

    /// Creates a source that starts as `first` and is replaced by the result of `replacement` after each
    /// loss.
    ///
    /// If `replacement` throws an error other than `CancellationError`, the loss is reported to `events`.
    init(
        _ first: Numbered,
        losses: SourceLosses,
        events: SourceEvents,
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
                    return events.failed(loss.failure)
                }
            }
        }
    }

    /// Switches to another source with the same tracks.
    ///
    /// - Returns: false if this source is closed or the task is cancelled; `other.source` is then closed.
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
