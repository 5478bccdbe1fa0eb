internal import Basics
package import GStreamerKit
internal import Synchronization

extension Element {
    /// Keeps video above a limit from this decoder, whose pads must be `sink` and `src`.
    ///
    /// The resolution is read from the format, and where that may be false, from each frame. A decoder that finds out a
    /// resolution only itself cannot pass it on.
    ///
    /// - Parameters:
    ///   - limit: The maximum resolution.
    ///   - refused: Called with the reason for each format or frame that is withheld, on the streaming thread.
    package func decode(within limit: DecodingLimit, refused: @escaping @Sendable (String) -> Void) {
        let gate = Mutex<DecodingGate?>(nil)
        let h264 = Mutex<H264DeclaredSizes?>(nil)
        @Sendable func admits(_ caps: Caps) -> Bool {
            guard let size = caps.resolution, !limit.allows(size) else { return true }
            refused(limit.excess(of: size))
            return false
        }
        pad("sink")?.filter { caps in
            gate.withLock { gate in
                gate = Self.codec(of: caps).map { DecodingGate($0, limit: limit) }
            }
            let declared = caps.mediaType == "video/x-h264" ? H264DeclaredSizes(caps) : nil
            h264.withLock { $0 = declared }
            if let reason = limit.refusal(of: declared?.inHeader ?? []) {
                refused(reason)
                return false
            }
            return admits(caps)
        } buffers: { sample in
            if let declared = h264.withLock(\.self) {
                let sizes = sample.withBytes { declared.sizes(in: $0) } ?? []
                guard let reason = limit.refusal(of: sizes) else { return sample }
                refused(reason)
                return nil
            }
            if sample.caps.mediaType.hasPrefix("image/") {
                // A picture whose header cannot be read is for no decoder.
                guard let picture = Self.size(ofPicture: sample) else {
                    return Self.knownPictures.contains(sample.caps.mediaType) ? nil : sample
                }
                guard limit.allows(picture) else {
                    refused(limit.excess(of: picture))
                    return nil
                }
                return sample
            }
            guard gate.withLock({ $0 != nil }) else { return sample }
            let isKeyframe = sample.isKeyframe
            let (verdict, size) =
                sample.withBytes { bytes in
                    gate.withLock { gate in (gate?.judge(bytes, isKeyframe: isKeyframe), gate?.refused) }
                } ?? (nil, nil)
            if let size { refused(limit.excess(of: size)) }
            return sample.passing(verdict)
        }
        pad("src")?.filter(formats: admits) { $0 }
    }

    /// The codecs whose frames tell their resolution, which the format of the stream may contradict.
    private static func codec(of caps: Caps) -> Codec? {
        switch caps.mediaType {
        case "video/x-vp8": .vp8
        case "video/x-vp9": .vp9
        // The parsers of other codecs read the resolution from the stream itself.
        default: nil
        }
    }

    private static let knownPictures: Set = ["image/jpeg", "image/png", "image/webp"]

    /// The resolution in the header of a picture that is a frame of its own; nil if it cannot be read.
    private static func size(ofPicture sample: MediaSample) -> Resolution? {
        let header = sample.withBytes { PictureHeader(Array($0)) } ?? nil
        return header.map { Resolution(width: $0.width, height: $0.height) }
    }
}

extension Caps {
    /// The resolution of video; nil if the caps do not tell it.
    fileprivate var resolution: Resolution? {
        guard let width = int("width"), let height = int("height") else { return nil }
        return Resolution(width: width, height: height)
    }
}

extension DecodingLimit {
    /// Returns the reason why video with parameter sets of these sizes is not decoded; nil if it is.
    fileprivate func refusal(of sizes: [Resolution?]) -> String? {
        for size in sizes {
            guard let size else { return "the parameters of the H.264 video cannot be read" }
            if !allows(size) { return excess(of: size) }
        }
        return nil
    }
}
