package import Basics
internal import GStreamerKit

/// The settings of a source in addition to `SourceChoice`.
package struct SourceSettings: Codable, Hashable, Sendable {
    /// The frame size of a generated or captured source; nil for the source's default.
    package var size: Resolution?
    /// The frame rate of a generated or captured source in frames per second; nil for the source's default.
    package var rate: Int?
    /// The position in a file at which playback and each repetition start.
    package var start = Duration.zero
    /// Whether the source is played once, so that the call ends with it; otherwise the source is repeated if
    /// it is seekable.
    package var isPlayedOnce = false
    /// The duration of the beginning of an H.264 file that is played immediately, not in real time, at the first
    /// connection; at most 10 s.
    ///
    /// The timestamps of its samples are in the past.
    package var headStart = Duration.zero

    package init() {}

    static let defaultSize = Resolution(width: 1280, height: 720)
    static let defaultRate = 30

    /// The values for the placeholders of a pipeline template that generates or captures video.
    var placeholders: [String: String] {
        let size = size ?? Self.defaultSize
        return [
            "width": "\(size.width)", "height": "\(size.height)", "framerate": "\(rate ?? Self.defaultRate)",
        ]
    }

    /// `start` in nanoseconds.
    var startTime: UInt64 { UInt64(clamping: Int64(start / .nanoseconds(1))) }

    /// `headStart` in nanoseconds.
    var headTime: UInt64 { min(UInt64(clamping: Int64(headStart / .nanoseconds(1))), MediaClock.head) }
}
