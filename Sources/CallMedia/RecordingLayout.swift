internal import CallCore
internal import GStreamerKit

/// What a file of a recording holds; a sample that does not fit needs another file.
struct RecordingLayout: Sendable {
    var codecs: [RecordingTrack: Codec] = [:]
    /// Width and height that the file began with.
    var size: [Int?] = []

    var hasVideo: Bool { codecs.keys.contains { $0.kind == .video } }

    /// Whether pictures of both sides are in it, whose keyframes come at different times.
    var hasSeveralVideos: Bool { codecs.keys.count { $0.kind == .video } > 1 }

    func fits(_ sample: MediaSample, _ track: RecordingTrack, _ codec: Codec, mindsSize: Bool) -> Bool {
        guard codecs[track] == codec else { return false }
        return track.kind == .audio || !mindsSize || !sample.isKeyframe || sample.caps.size == size
    }

    /// Whether a next file can begin with this sample.
    func canBegin(with sample: MediaSample, of track: RecordingTrack) -> Bool {
        hasVideo ? track.kind == .video && sample.isKeyframe : true
    }
}

/// A file that each of its tracks leaves for the next one where it can: sound in time, pictures at a keyframe.
struct RecordingDeparture: Sendable {
    let take: RecordingTake
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

extension Caps {
    /// Width and height, where the stream has them.
    var size: [Int?] { [int("width"), int("height")] }
}
