package import Basics
package import GStreamerKit
internal import Synchronization

extension Element {
    /// Withholds video above a resolution limit from this decoder, whose pads must be named `sink` and `src`.
    ///
    /// The resolution is read from the format and, where the format may be wrong, from each frame. Video whose
    /// resolution only its decoder could determine is withheld.
    ///
    /// - Parameters:
    ///   - limit: The maximum resolution.
    ///   - refused: Called with the reason for each format or frame that is withheld, on the streaming thread.
    package func decode(within limit: DecodingLimit, refused: @escaping @Sendable (String) -> Void) {
        let inspection = Mutex(FrameInspection.none)
        @Sendable func admits(_ caps: Caps) -> Bool {
            guard let size = caps.resolution, !limit.allows(size) else { return true }
            refused(limit.excess(of: size))
            return false
        }
        pad("sink")?.filter { caps in
            let (new, reason) = FrameInspection.of(caps, within: limit)
            inspection.withLock { $0 = new }
            if let reason { refused(reason) }
            return reason == nil && admits(caps)
        } buffers: { sample in
            let (passing, reason) = inspection.withLock { $0.inspect(sample, within: limit) }
            if let reason { refused(reason) }
            return passing
        }
        pad("src")?.filter(formats: admits) { $0 }
    }
}

extension Pipeline {
    /// Withholds video above a limit from the decoders that are added to this pipeline.
    ///
    /// - Parameters:
    ///   - limit: The maximum resolution.
    ///   - refused: Called once, with the failure that names the reason, on the streaming thread.
    package func limitDecoding(to limit: DecodingLimit, refused: @escaping @Sendable (MediaFailure) -> Void) {
        let isFirst = Atomic(true)
        onDecoderAdded { decoder in
            decoder.decode(within: limit) { reason in
                guard isFirst.exchange(false, ordering: .relaxed) else { return }
                refused(
                    .source(
                        message: reason,
                        hint: "choose a source with a lower resolution, or raise --max-resolution"
                    )
                )
            }
        }
    }
}

/// The inspection of the frames of one format; their resolution may differ from the one that the format declares.
private enum FrameInspection {
    /// Frames are not inspected, because they are not video, or because the format alone determines the resolution.
    case none
    case declared(DeclaredSizes)
    case gate(DecodingGate)
    /// Each frame is a picture, whose header must be readable.
    case pictures

    /// Returns the inspection for a format, and the reason if the format itself is refused; nil if it is not.
    static func of(_ caps: Caps, within limit: DecodingLimit) -> (FrameInspection, refusal: String?) {
        switch caps.mediaType {
        case "video/x-vp8": return (.gate(DecodingGate(.vp8, limit: limit)), nil)
        case "video/x-vp9": return (.gate(DecodingGate(.vp9, limit: limit, acceptsAllFormats: true)), nil)
        case "image/jpeg", "image/png", "image/webp": return (.pictures, nil)
        // These codecs have few resolutions, all of them small.
        case "video/x-dv", "video/x-h263": return (.none, nil)
        // Only the caps specify the resolution of these codecs.
        case "video/x-ffv", "video/x-huffyuv", "video/x-msmpeg": return (.none, nil)
        case "video/x-divx" where caps.int("divxversion") == 3: return (.none, nil)
        case "video/x-wmv" where caps.int("wmvversion") ?? 3 < 3 || caps.string("format") == "WMV3":
            return (.none, nil)
        case let type where !type.hasPrefix("video/") && !type.hasPrefix("image/"): return (.none, nil)
        default:
            guard let declared = DeclaredSizes(caps) else {
                return (.none, Self.ignorance(of: caps.mediaType))
            }
            return (.declared(declared), limit.refusal(of: declared.inHeader))
        }
    }

    private static func ignorance(of mediaType: String) -> String {
        let codec = mediaType.drop { $0 != "/" }.dropFirst()
        return "\(codec) video is not played, because its resolution is known only after decoding"
    }

    /// Returns the frame as passed to the decoder (nil if it is withheld), and the reason if it is refused.
    mutating func inspect(
        _ sample: MediaSample,
        within limit: DecodingLimit
    ) -> (MediaSample?, refusal: String?) {
        switch self {
        case .none: return (sample, nil)
        case .declared(let declared):
            let refusal = limit.refusal(of: sample.withBytes { declared.sizes(in: $0) } ?? [])
            return (refusal == nil ? sample : nil, refusal)
        case .gate(var gate):
            let isKeyframe = sample.isKeyframe
            let verdict = sample.withBytes { gate.judge($0, isKeyframe: isKeyframe) }
            self = .gate(gate)
            return (sample.passing(verdict), gate.refused.map(limit.excess))
        case .pictures:
            guard let header = sample.withBytes({ PictureHeader(Array($0)) }) ?? nil else {
                return (nil, nil)
            }
            let size = Resolution(width: header.width, height: header.height)
            return limit.allows(size) ? (sample, nil) : (nil, limit.excess(of: size))
        }
    }
}

extension Caps {
    /// The resolution of video; nil if the caps do not contain it.
    fileprivate var resolution: Resolution? {
        guard let width = int("width"), let height = int("height") else { return nil }
        return Resolution(width: width, height: height)
    }
}

extension DecodingLimit {
    /// Returns the reason why video that declares these resolutions is not decoded; nil if it is decoded.
    fileprivate func refusal(of sizes: [Resolution?]) -> String? {
        for size in sizes {
            guard let size else { return "the resolution of the video cannot be read" }
            if !allows(size) { return excess(of: size) }
        }
        return nil
    }
}
