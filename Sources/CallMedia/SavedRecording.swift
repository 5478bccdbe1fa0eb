/// A recording that was closed properly.
package struct SavedRecording: Hashable, Sendable {
    package var path: String
    package var bytes: Int
    package var seconds: Double
    /// The codecs of its tracks, video first.
    package var tracks: [String]
}
