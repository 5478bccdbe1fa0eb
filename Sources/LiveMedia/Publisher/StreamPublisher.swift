internal import Basics
package import GLibKit
internal import GStreamerKit
package import LiveCore
package import MediaKit

/// A publisher of a source as a live stream.
package struct StreamPublisher: Sendable {
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
        let queue = PublishQueue()
        let (ends, end) = AsyncStream.makeStream(of: LiveFailure?.self)
        let (opened, media) = try await open(queue, end)
        do {
            try await withThrowingTaskGroup { group in
                group.addTask {
                    for await failure in ends {
                        if let failure { throw failure }
                        return
                    }
                    throw CancellationError()
                }
                group.addTask { try await publish(queue) }
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

    @MediaActor private func open(
        _ queue: PublishQueue,
        _ end: AsyncStream<LiveFailure?>.Continuation
    ) async throws -> (any LocalSource, PublishedMedia) {
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
            do {
                let media = try PublishedMedia(opened.tracks, from: source.library, into: queue) {
                    end.yield(LiveFailure(.unsupported, $0.sentence))
                }
                try opened.connectionIsUp()
                return (opened, media)
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

    /// Connects to the server again and again.
    ///
    /// - Throws: `LiveFailure` if the first connection fails; `CancellationError`.
    private func publish(_ queue: PublishQueue) async throws {
        var backoff = Backoff(maximum: .seconds(15), randomization: 0)
        var hasPublished = false
        while true {
            report(.connecting)
            let connection = PublishConnection(
                address: address,
                authorities: authorities,
                queue: queue,
                report: report
            )
            do {
                try await connection.run {
                    hasPublished = true
                    backoff.reset()
                }
            } catch let failure as LiveFailure where hasPublished {
                let wait = backoff.next(random: 0)
                report(.lost(failure, retryIn: wait))
                try await Task.sleep(for: wait)
            }
        }
    }
}
