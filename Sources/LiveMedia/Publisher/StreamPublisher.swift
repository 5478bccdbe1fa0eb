internal import Basics
package import GLibKit
internal import GStreamerKit
package import LiveCore
package import MediaKit

/// A publisher of a source as a live stream.
package struct StreamPublisher: Sendable {
    /// The time without progress after which the rest of a source that has ended cannot be sent.
    private static let endLimit = Duration.seconds(5)

    private let address: PublishAddress
    private let authorities: TLSAuthorities
    private let source: SourceRequest
    private let report: @Sendable (PublishEvent) -> Void

    /// Creates a publisher; `report` receives its events.
    package init(
        _ source: SourceRequest,
        to address: PublishAddress,
        trusting authorities: TLSAuthorities,
        report: @escaping @Sendable (PublishEvent) -> Void
    ) {
        (self.source, self.address, self.authorities, self.report) = (source, address, authorities, report)
    }

    /// Publishes until the source ends or the task is cancelled; a lost connection is established again.
    ///
    /// - Throws: `LiveFailure` if the source fails, or if the first connection does; `CancellationError`.
    package func run() async throws {
        let (ends, end) = AsyncStream.makeStream(of: LiveFailure?.self)
        let (opened, media, queue) = try await open(end)
        do {
            try await withThrowingTaskGroup { group in
                group.addTask {
                    for await failure in ends {
                        if let failure { throw failure }
                        await media.finish()
                        try await waitForEnd(queue)
                    }
                    throw CancellationError()
                }
                group.addTask {
                    let loop = PublishLoop(
                        address: address,
                        authorities: authorities,
                        queue: queue,
                        report: report
                    )
                    try await loop.run { isFirst in if isFirst { try await start(opened) } }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch {
            await media.close()
            await opened.close()
            throw error
        }
        await media.close()
        await opened.close()
    }

    /// Opens the source and its encoders.
    @MediaActor private func open(
        _ end: AsyncStream<LiveFailure?>.Continuation
    ) async throws -> (any LocalSource, PublishedMedia, PublishQueue) {
        do {
            let opener = SourceOpener(
                request: source,
                events: SourceEvents(
                    failed: { end.yield(LiveFailure(.file, $0.sentence)) },
                    ended: { _ in end.yield(nil) }
                ),
                notify: { _ in }
            )
            let opened = try await opener.open().source
            let queue = PublishQueue(tracks: opened.tracks.count)
            do {
                let media = try PublishedMedia(opened.tracks, from: source.library, into: queue) {
                    end.yield(LiveFailure(.unsupported, $0.sentence))
                }
                return (opened, media, queue)
            } catch {
                await opened.close()
                throw error
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            throw LiveFailure(.file, MediaFailure(error).sentence)
        }
    }

    /// Begins to play the source, so that the stream begins with its first keyframe.
    @MediaActor private func start(_ source: any LocalSource) throws {
        do { try source.connectionIsUp() } catch {
            throw LiveFailure(.file, MediaFailure(error).sentence)
        }
    }

    /// Waits while the rest of the source is being sent.
    ///
    /// - Throws: `LiveFailure` when that makes no progress; `CancellationError`.
    private func waitForEnd(_ queue: PublishQueue) async throws {
        var sent = -1
        while queue.counts.bytes > sent {
            sent = queue.counts.bytes
            try await Task.sleep(for: Self.endLimit)
        }
        throw LiveFailure(.unreachable, "the source has ended, and its rest could not be sent to \(address)")
    }
}
