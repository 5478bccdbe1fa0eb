internal import Basics
internal import GStreamerKit

/// The tracks and the video format of one file of a recording.
///
/// A sample that does not fit the layout requires another file.
struct RecordingLayout: Sendable {
    var codecs: [RecordingTrack: Codec] = [:]
    /// The video format at the start of the file.
    var format: RecordedFormat?

    var hasVideo: Bool { codecs.keys.contains { $0.kind == .video } }

    /// Whether the file contains video of both sides, whose keyframes come at different times.
    var hasSeveralVideos: Bool { codecs.keys.count { $0.kind == .video } > 1 }

    func fits(_ sample: MediaSample, _ track: RecordingTrack, _ codec: Codec, splitsByFormat: Bool) -> Bool {
        guard codecs[track] == codec else { return false }
        guard track.kind == .video, splitsByFormat, sample.isKeyframe, let format else { return true }
        return format.fits(RecordedFormat(of: sample, codec))
    }

    /// Returns whether a new file with these tracks can begin with this sample; video requires a keyframe.
    func canBegin(with sample: MediaSample, of track: RecordingTrack) -> Bool {
        hasVideo ? track.kind == .video && sample.isKeyframe : true
    }
}

/// A file whose tracks move to the next file: audio at `boundary`, each video at its next keyframe.
struct RecordingHandover: Sendable {
    let writer: RecordingWriter
    let layout: RecordingLayout
    /// The start of the next file in nanoseconds since the `MediaClock` epoch.
    let boundary: UInt64
    /// The tracks that are still written to this file.
    var tracks: Set<RecordingTrack>

    /// Returns whether the sample still belongs to this file.
    func keeps(_ sample: MediaSample, _ track: RecordingTrack, _ codec: Codec, at time: UInt64) -> Bool {
        guard tracks.contains(track), layout.codecs[track] == codec else { return false }
        return time < boundary || track.kind == .video && !sample.isKeyframe
    }
}

/// The properties of video that the header of a file can declare only once.
struct RecordedFormat: Hashable, Sendable {
    private let width: Int?
    private let height: Int?
    private let parameterSets: H264ParameterSets?

    init(of sample: MediaSample, _ codec: Codec) {
        width = sample.caps.int("width")
        height = sample.caps.int("height")
        parameterSets = codec == .h264 ? sample.withBytes(H264ParameterSets.init) : nil
    }

    /// Returns whether video in the format `next` may follow in the same file.
    ///
    /// A keyframe without parameter sets uses the previous ones. The same parameter sets with other IDs fit,
    /// because they are stored in band.
    ///
    /// - Parameter next: the format of the next keyframe.
    /// - Returns: whether the file can continue.
    func fits(_ next: RecordedFormat) -> Bool {
        guard (next.width, next.height) == (width, height) else { return false }
        guard let sets = next.parameterSets, !sets.isEmpty else { return true }
        return parameterSets.map(sets.areAmong) ?? false
    }
}
