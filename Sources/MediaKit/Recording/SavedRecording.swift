/// A recording that was closed without errors.
package struct SavedRecording: Hashable, Sendable {
    package var path: String
    package var bytes: Int
    package var seconds: Double
    /// The start of this file in seconds since the start of the recording's first file.
    package var start = 0.0
    /// The codecs of the tracks, in this order: the remote side before the local side, video before audio.
    package var tracks: [String]
}
