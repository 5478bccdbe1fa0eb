internal import CallCore
package import GStreamerKit

/// What a media file holds: the first stream of each kind.
package struct FileContents: Sendable {
    package struct Stream: Sendable {
        package var caps: Caps
        package var codec: Codec? { Codec(mediaType: caps.mediaType) }
        /// What it says of itself, where it is H.264 in a profile that is sent here.
        var h264: H264Stream? {
            guard codec == .h264,
                let profile = caps.string("profile").flatMap(H264Profile.init(gstreamerName:))
            else { return nil }
            let level = caps.string("level").flatMap(H264Level.init(gstreamerName:))
            return H264Stream(profile, level ?? videoMode.map(H264Level.init(holding:)) ?? .level3_1)
        }
        var videoMode: VideoMode? { VideoMode(caps) }
        /// Whether pictures leave in another order than they are shown: B-frames.
        package var isReordered = false
    }

    package var video: Stream?
    package var audio: Stream?

    /// Without what a call does not carry, which then is not read either, unless nothing would be left.
    func keeping(_ kinds: Set<MediaKind>) -> FileContents {
        var kept = self
        if !kinds.contains(.video), audio != nil { kept.video = nil }
        if !kinds.contains(.audio), video != nil { kept.audio = nil }
        return kept
    }

    /// Why a stream cannot be sent as it is; nil where it can.
    package static func obstacle(to stream: Stream) -> String? {
        guard let codec = stream.codec else { return "\(stream.caps.shortName) is not sent over WebRTC here" }
        switch codec {
        case .opus:
            return (stream.caps.int("channels") ?? 2) <= 2 ? nil : "Opus with more than two channels"
        case .vp8: return nil
        case .vp9:
            let profile = stream.caps.string("profile") ?? "0"
            return profile == "0" ? nil : "VP9 profile \(profile)"
        case .pcmu, .pcma: return "\(codec.rawValue), which is put into packets of 20 ms anew,"
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
