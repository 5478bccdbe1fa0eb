internal import Basics

/// One track of a recording.
struct RecordingTrack: Hashable, Sendable, Comparable {
    var side: MediaSide
    var kind: MediaKind

    init(_ side: MediaSide, _ kind: MediaKind) { (self.side, self.kind) = (side, kind) }

    /// The peer's video.
    static let video = RecordingTrack(.remote, .video)
    /// The peer's audio.
    static let audio = RecordingTrack(.remote, .audio)

    /// The name of the track's appsrc in the templates in `pipelines/recorders/`.
    var name: String { "\(side.rawValue)-\(kind.rawValue)" }

    /// Sorts the remote side before the local one, and video before audio.
    static func < (left: RecordingTrack, right: RecordingTrack) -> Bool { left.rank < right.rank }

    private var rank: Int { (side == .remote ? 0 : 2) + (kind == .video ? 0 : 1) }
}
