internal import GStreamerKit

/// A media source of calls; it is opened once and shared by attempts.
@MediaActor
protocol LocalSource: Sendable {
    var tracks: [SourceTrack] { get }

    /// Starts or resumes the media from a keyframe, because a connection has just come up.
    func connectionIsUp() throws

    /// Pauses the source until the next connection is up.
    func rest()

    func close() async
}
