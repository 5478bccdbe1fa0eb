internal import Basics
internal import CallCore
internal import GStreamerKit

extension MediaSection {
    /// The media kind of the section; nil if it is not audio or video.
    var mediaKind: MediaKind? {
        switch kind {
        case .audio: .audio
        case .video: .video
        default: nil
        }
    }
}

extension Transceiver.Direction {
    init(sends: Bool, receives: Bool) {
        switch (sends, receives) {
        case (true, true): self = .sendrecv
        case (true, false): self = .sendonly
        case (false, true): self = .recvonly
        case (false, false): self = .inactive
        }
    }
}
