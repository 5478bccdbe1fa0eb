internal import Basics
internal import GLibKit
internal import LiveCore

/// The connections to a server on which a stream is published, one after the other.
struct PublishLoop: Sendable {
    private static let backoff = Backoff(maximum: .seconds(15), randomization: 0)
    /// The time for which a stream must be published before the next loss counts as the first one.
    private static let stableTime = Duration.seconds(10)
    /// The time for which a server may refuse a stream that it has accepted before, for example until it notices that
    /// the former connection is lost.
    private static let refusalLimit = Duration.seconds(60)

    let address: PublishAddress
    let authorities: TLSAuthorities
    let queue: PublishQueue
    let report: @Sendable (PublishEvent) -> Void
    /// Whether the server need not be reachable from the beginning.
    var awaitsServer = false

    /// Connects to the server again and again, until the queue is finished and all of it has been sent.
    ///
    /// - Parameter hasStarted: Called when a connection is established and accepts media, with whether it is the first.
    /// - Throws: `LiveFailure` if the first connection fails, or if the server refuses the stream for a while;
    ///   `CancellationError`; an error of `hasStarted`.
    func run(hasStarted: @Sendable (_ isFirst: Bool) async throws -> Void) async throws {
        var backoff = Self.backoff
        var hasPublished = false
        var refusedSince: ContinuousClock.Instant?
        while true {
            report(.connecting)
            let connection = PublishConnection(
                address: address,
                authorities: authorities,
                queue: queue,
                report: report
            )
            var began: ContinuousClock.Instant?
            do {
                return try await connection.run {
                    began = .now
                    try await hasStarted(!hasPublished)
                    hasPublished = true
                }
            } catch let failure as LiveFailure
                where hasPublished || awaitsServer && failure.remedy == .retry
            {
                if let began, began.duration(to: .now) >= Self.stableTime {
                    (backoff, refusedSince) = (Self.backoff, nil)
                }
                if failure.reason == .refused {
                    let since = refusedSince ?? .now
                    refusedSince = since
                    guard since.duration(to: .now) < Self.refusalLimit else { throw failure }
                }
                let wait = backoff.next(random: 0)
                report(.lost(failure, retryIn: wait))
                try await Task.sleep(for: wait)
            }
        }
    }
}
