package import Basics
package import GStreamerKit

/// A receiver of the streams of a call besides its recordings, such as a live stream.
@MediaActor
package protocol CallOutput: AnyObject, Sendable {
    /// Receives a stream instead of the previous one of this side and kind.
    func take(_ stream: Recordings.Stream, kind: MediaKind, of side: MediaSide)

    /// Stops receiving the streams of a side.
    func release(_ side: MediaSide)

    /// Ends the output; no stream follows.
    func finish() async
}
