internal import Basics
package import GStreamerKit

/// The contents of a media file: the first stream of each kind.
package struct FileContents: Sendable {
    package struct Stream: Sendable {
        package var caps: Caps
        package var codec: Codec? { Codec(mediaType: caps.mediaType) }
        /// The profile and level of an H.264 stream; nil for other codecs and unsupported profiles.
        var h264: H264Stream? {
            guard codec == .h264,
                let profile = caps.string("profile").flatMap(H264Profile.init(gstreamerName:))
            else { return nil }
            let level = caps.string("level").flatMap(H264Level.init(gstreamerName:))
            return H264Stream(profile, level ?? videoMode.map(H264Level.init(holding:)) ?? .level3_1)
        }
        var videoMode: VideoMode? { VideoMode(caps) }
        /// Whether the decoding order of frames differs from their display order, as with B-frames.
        package var isReordered = false
        /// The rotation or flip to apply, in GStreamer's terms, such as `rotate-90`; nil for none.
        package var orientation: String?
    }

    package var video: Stream?
    package var audio: Stream?

    /// Returns the contents limited to these kinds of media; the only stream of a file is always kept.
    func keeping(_ kinds: Set<MediaKind>) -> FileContents {
        var kept = self
        if !kinds.contains(.video), audio != nil { kept.video = nil }
        if !kinds.contains(.audio), video != nil { kept.audio = nil }
        return kept
    }

    /// Returns the reason why a stream cannot be sent without re-encoding; nil if it can.
    package static func obstacle(to stream: Stream) -> String? {
        if let orientation = stream.orientation { return turned(orientation) }
        guard let codec = stream.codec else { return stream.caps.codecName }
        switch codec {
        case .opus:
            return (stream.caps.int("channels") ?? 2) <= 2 ? nil : "Opus with more than two channels"
        case .vp8: return nil
        case .vp9:
            let profile = stream.caps.string("profile") ?? "0"
            return profile == "0" ? nil : "VP9 profile \(profile)"
        case .pcmu, .pcma: return "\(codec.rawValue), which is repacketized into 20 ms packets,"
        case .h264:
            if stream.isReordered { return "H.264 with B-frames" }
            let profile = stream.caps.string("profile") ?? "unknown"
            return H264Profile(gstreamerName: profile) == nil ? "H.264 profile \(profile)" : nil
        }
    }

    /// Returns a description of a rotation or flip, which must be applied before sending.
    private static func turned(_ orientation: String) -> String {
        let angle = orientation.split(separator: "-").last.map(String.init) ?? ""
        return orientation.hasPrefix("flip") ? "mirrored video" : "video rotated by \(angle)°"
    }
}

extension Caps {
    /// The codec's common name, for messages.
    fileprivate var codecName: String {
        let version = int("mpegversion") ?? 0
        return switch mediaType {
        case "video/x-h265": "H.265"
        case "video/x-vp9": "VP9"
        case "video/x-av1": "AV1"
        case "video/x-theora": "Theora"
        case "video/mpeg": version == 4 ? "MPEG-4" : "MPEG-\(version) video"
        case "image/jpeg": "Motion JPEG"
        case "audio/mpeg": version == 1 ? "MP\(int("layer") ?? 3)" : "AAC"
        case "audio/x-vorbis": "Vorbis"
        case "audio/x-flac": "FLAC"
        case "audio/x-ac3": "AC-3"
        case "audio/x-eac3": "E-AC-3"
        case "audio/x-raw": "PCM"
        default: mediaType.split(separator: "/").last.map(String.init) ?? mediaType
        }
    }
}
