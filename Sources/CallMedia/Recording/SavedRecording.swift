/// A recording that was closed properly.
package struct SavedRecording: Hashable, Sendable {
    package var path: String
    package var bytes: Int
    package var seconds: Double
    /// Seconds from the beginning of the recording's first file to that of this one.
    package var start = 0.0
    /// The codecs of its tracks, video first; of a file of both sides, the remote ones first.
    package var tracks: [String]
}
