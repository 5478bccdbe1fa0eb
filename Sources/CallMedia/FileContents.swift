package import GStreamerKit

/// What a media file holds: the first stream of each kind.
package struct FileContents: Sendable {
    package struct Stream: Sendable {
        package var caps: Caps
        package var codec: Codec? { Codec(mediaType: caps.mediaType) }
        /// Whether pictures leave in another order than they are shown: B-frames.
        package var isReordered = false
    }

    package var video: Stream?
    package var audio: Stream?

    /// Why a stream cannot be sent as it is; nil where it can.
    package static func obstacle(to stream: Stream) -> String? {
        guard let codec = stream.codec else { return "\(stream.caps.shortName) is not sent over WebRTC here" }
        switch codec {
        case .opus:
            return (stream.caps.int("channels") ?? 2) <= 2 ? nil : "Opus with more than two channels"
        case .vp8: return nil
        case .h264:
            if stream.isReordered { return "H.264 with B-frames" }
            let profile = stream.caps.string("profile") ?? "unknown"
            return H264Profile(gstreamerName: profile) == nil ? "H.264 profile \(profile)" : nil
        }
    }
}

extension Caps {
    /// The media type in words, as in `x-h265`.
    fileprivate var shortName: String { mediaType.split(separator: "/").last.map(String.init) ?? mediaType }
}
