internal import CallCore
internal import GStreamerKit

/// What a file of a recording holds; a sample that does not fit needs another file.
struct RecordingLayout: Sendable {
    var codecs: [RecordingTrack: Codec] = [:]
    /// What the file's pictures began with.
    var format: RecordedFormat?

    var hasVideo: Bool { codecs.keys.contains { $0.kind == .video } }

    /// Whether pictures of both sides are in it, whose keyframes come at different times.
    var hasSeveralVideos: Bool { codecs.keys.count { $0.kind == .video } > 1 }

    func fits(_ sample: MediaSample, _ track: RecordingTrack, _ codec: Codec, mindsFormat: Bool) -> Bool {
        guard codecs[track] == codec else { return false }
        guard track.kind == .video, mindsFormat, sample.isKeyframe, let format else { return true }
        return format.fits(RecordedFormat(of: sample, codec))
    }

    /// Whether a next file can begin with this sample.
    func canBegin(with sample: MediaSample, of track: RecordingTrack) -> Bool {
        hasVideo ? track.kind == .video && sample.isKeyframe : true
    }
}

/// A file that each of its tracks leaves for the next one where it can: sound in time, pictures at a keyframe.
struct RecordingHandover: Sendable {
    let take: RecordingWriter
    let layout: RecordingLayout
    /// When the next file begins; nanoseconds since the shared epoch.
    let boundary: UInt64
    /// Those that have not left yet.
    var tracks: Set<RecordingTrack>

    /// Whether the sample still belongs into this file.
    func keeps(_ sample: MediaSample, _ track: RecordingTrack, _ codec: Codec, at time: UInt64) -> Bool {
        guard tracks.contains(track), layout.codecs[track] == codec else { return false }
        return time < boundary || track.kind == .video && !sample.isKeyframe
    }
}

/// What the header of a file may say once only of its pictures.
struct RecordedFormat: Hashable, Sendable {
    private let width: Int?
    private let height: Int?
    private let parameterSets: H264ParameterSets?

    init(of sample: MediaSample, _ codec: Codec) {
        width = sample.caps.int("width")
        height = sample.caps.int("height")
        parameterSets = codec == .h264 ? sample.withBytes(H264ParameterSets.init) : nil
    }

    /// Whether what has `next` may follow; a keyframe without parameter sets keeps those before it, and the same sets
    /// under other numbers go with the pictures.
    func fits(_ next: RecordedFormat) -> Bool {
        guard (next.width, next.height) == (width, height) else { return false }
        guard let sets = next.parameterSets, !sets.isEmpty else { return true }
        return parameterSets.map(sets.areAmong) ?? false
    }
}
