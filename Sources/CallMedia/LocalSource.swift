internal import GStreamerKit
internal import CallCore

/// What a call sends; opened once, it outlives attempts.
@MediaActor
protocol LocalSource: Sendable {
    var tracks: [SourceTrack] { get }

    /// Lets media flow, from a keyframe on, because a connection has just come up.
    func connectionIsUp() throws

    /// Failures after it was opened; finishes when the source is closed. Single consumer.
    nonisolated var failures: AsyncStream<MediaFailure> { get }

    func close() async
}
