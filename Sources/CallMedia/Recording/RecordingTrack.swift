internal import CallCore

/// One track of a recording.
struct RecordingTrack: Hashable, Sendable, Comparable {
    var side: MediaSide
    var kind: MediaKind

    init(_ side: MediaSide, _ kind: MediaKind) { (self.side, self.kind) = (side, kind) }

    /// Of the peer.
    static let video = RecordingTrack(.remote, .video)
    /// Of the peer.
    static let audio = RecordingTrack(.remote, .audio)

    /// The name of its app source in the descriptions below `pipelines/recorders/`.
    var name: String { "\(side.rawValue)-\(kind.rawValue)" }

    /// The remote side first, pictures before sound.
    static func < (left: RecordingTrack, right: RecordingTrack) -> Bool { left.rank < right.rank }

    private var rank: Int { (side == .remote ? 0 : 2) + (kind == .video ? 0 : 1) }
}
