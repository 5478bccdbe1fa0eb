internal import GStreamerKit

/// What a call sends; opened once, it outlives attempts.
@MediaActor
protocol LocalSource: Sendable {
    var tracks: [SourceTrack] { get }

    /// Lets media flow, from a keyframe on, because a connection has just come up.
    func connectionIsUp() throws

    /// Stands still until the next connection is up.
    func rest()

    func close() async
}
