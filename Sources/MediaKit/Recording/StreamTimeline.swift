internal import Basics

/// The times of a recorded stream, which continue without a gap where the stream jumps, for example after a seek or
/// when it is opened again.
struct StreamTimeline {
    /// A part of the stream whose times count from the same origin.
    struct Part: Hashable, Sendable {
        /// The number of times that the stream had been opened when the part began, at least 1.
        var opening: Int
        /// The sequence number of the latest seek before the part; 0 if there was none.
        var seek: UInt32
        /// The GStreamer group ID of the part's tracks; a playlist may have several groups whose times count from the
        /// same origin.
        var group: UInt32
    }

    private struct Track {
        var part: Part
        var shift: Int64
        /// The running time of the track's first sample in the part, in nanoseconds.
        var start: Int64
        /// The end of the track in the recording, in nanoseconds.
        var end: Int64
    }

    /// The maximum overlap with the previous group, in nanoseconds, at which a group counts as its continuation.
    private static let slack: Int64 = 500_000_000
    /// The longest plausible duration of a sample in nanoseconds.
    private static let longestSample: UInt64 = 1_000_000_000
    /// The number of parts that are stored; only the newest ones are still in use.
    private static let memory = 16
    /// The maximum time in nanoseconds, small enough that sums do not overflow.
    private static let limit: Int64 = 1 << 61

    /// The nanoseconds to add to the times of each part, the oldest part first.
    private var shifts: [(part: Part, shift: Int64)] = []
    private var tracks: [MediaKind: Track] = [:]

    /// Finds the position of a sample in the recording.
    ///
    /// - Parameters:
    ///   - kind: The kind of the track.
    ///   - part: The part of the stream to which the sample belongs.
    ///   - time: The running time of the sample in nanoseconds, less than 2^61.
    ///   - duration: The duration of the sample in nanoseconds, if it is known.
    /// - Returns: The nanoseconds to add to the times of the sample.
    mutating func shift(_ kind: MediaKind, _ part: Part, time: Int64, duration: UInt64?) -> Int64 {
        let shift = shifts.last { $0.part == part }?.shift ?? begin(part, kind, at: time)
        let length = Int64(min(duration ?? 0, Self.longestSample))
        let end = min(time + shift + length, Self.limit)
        let last = tracks[kind]
        tracks[kind] = Track(
            part: part,
            shift: shift,
            start: last?.part == part ? last?.start ?? time : time,
            end: max(end, last?.end ?? end)
        )
        return shift
    }

    private mutating func begin(_ part: Part, _ kind: MediaKind, at time: Int64) -> Int64 {
        var shift = (tracks.values.map(\.end).max() ?? 0) - time
        if let last = tracks[kind] ?? tracks.values.first, last.part.opening == part.opening,
            last.part.seek == part.seek
        {
            let isNew = tracks[kind] == nil
            // A short file that begins again lies within the slack, too.
            let continues = time > last.start && time + last.shift >= last.end - Self.slack
            if isNew || continues { shift = last.shift }
        }
        shifts.append((part, shift))
        if shifts.count > Self.memory { shifts.removeFirst() }
        return shift
    }
}
