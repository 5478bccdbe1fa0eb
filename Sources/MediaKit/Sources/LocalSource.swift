package import GStreamerKit

/// A media source that is opened once and used by all attempts of a call.
@MediaActor
package protocol LocalSource: Sendable {
    var tracks: [SourceTrack] { get }

    /// Starts or resumes the media from a keyframe; called when a connection has been established.
    func connectionIsUp() throws

    /// Pauses the source until the next connection is established.
    func rest()

    func close() async
}
