internal import Basics
internal import GStreamerKit

/// Passes to a decoder only the frames whose resolution is within a limit.
///
/// After a frame that is too large or unreadable, all frames are withheld until a keyframe within the limit
/// arrives.
struct DecodingGate {
    /// The decision whether, and in which form, a frame is decoded.
    enum Verdict: Hashable {
        case passes
        /// The frame is decoded with these bytes instead of its own.
        case passesAs([UInt8])
        /// The frame is decoded with these bytes appended.
        case passesWith([UInt8])
        /// The frame is withheld; `needsKeyframe` is true if the video is within the limit again and decoding
        /// can resume at a keyframe.
        case isWithheld(needsKeyframe: Bool)
    }

    let codec: Codec
    let limit: DecodingLimit
    /// Whether formats other than 8-bit 4:2:0 are decoded; their frames take up to four times as much memory.
    let acceptsAllFormats: Bool
    /// The resolution because of which frames are withheld; nil if frames pass or the resolution cannot be
    /// read.
    private(set) var refused: Resolution?
    /// Whether frames are withheld because of their format.
    private(set) var refusesFormat = false
    private var isClosed = false
    private var h264 = H264SizeTracker()

    init(_ codec: Codec, limit: DecodingLimit, acceptsAllFormats: Bool = false) {
        (self.codec, self.limit, self.acceptsAllFormats) = (codec, limit, acceptsAllFormats)
    }

    mutating func judge(_ frame: UnsafeRawBufferPointer, isKeyframe: Bool) -> Verdict {
        switch codec {
        case .vp8: judge(FrameSize.vp8(frame))
        case .vp9: judgeVP9(frame)
        case .h264: judgeH264(frame, isKeyframe: isKeyframe)
        case .opus, .pcmu, .pcma: .passes
        }
    }

    private mutating func judge(_ size: FrameSize) -> Verdict {
        switch size {
        case .keyframe(let resolution): return limit.allows(resolution) ? open() : close(resolution)
        case .changed(let resolution):
            guard limit.allows(resolution) else { return close(resolution) }
            return isClosed ? .isWithheld(needsKeyframe: true) : .passes
        case .unchanged: return isClosed ? .isWithheld(needsKeyframe: false) : .passes
        case .unreadable: return close(nil)
        }
    }

    private mutating func judgeVP9(_ bytes: UnsafeRawBufferPointer) -> Verdict {
        guard let superframe = VP9Superframe(bytes) else { return close(nil) }
        var verdict = Verdict.isWithheld(needsKeyframe: false)
        for frame in superframe.frames {
            guard acceptsAllFormats || FrameSize.isCommonVP9(bytes[frame]) else { return closeForFormat() }
            verdict = judge(FrameSize.vp9(bytes[frame]))
            guard verdict == .passes else { return verdict }
        }
        guard verdict == .passes, !superframe.hasIndex else { return verdict }
        // Without an index, a decoder would decode the bytes after the end of the frame as another frame.
        return .passesWith(VP9Superframe.index(of: bytes.count))
    }

    private mutating func judgeH264(_ bytes: UnsafeRawBufferPointer, isKeyframe: Bool) -> Verdict {
        switch h264.judge(bytes, by: limit, acceptsAllFormats: acceptsAllFormats) {
        case .isUnreadable: return close(nil)
        case .isOtherFormat: return closeForFormat()
        case .isTooLarge(let size): return close(size)
        case .passes(let withheld, let size):
            if isClosed {
                guard isKeyframe, size != nil else { return .isWithheld(needsKeyframe: false) }
                _ = open()
            }
            guard !withheld.isEmpty else { return .passes }
            let rest = Self.bytes(bytes, without: withheld)
            return rest.isEmpty ? .isWithheld(needsKeyframe: false) : .passesAs(rest)
        }
    }

    /// Returns the NAL units of a byte stream except the withheld ones.
    private static func bytes(_ bytes: UnsafeRawBufferPointer, without withheld: [Range<Int>]) -> [UInt8] {
        let startCode: [UInt8] = [0, 0, 0, 1]
        // A hostile frame may contain thousands of units, so a set keeps the search fast.
        let withheld = Set(withheld)
        return H264Units.ranges(in: bytes).filter { !withheld.contains($0) }.flatMap { startCode + bytes[$0] }
    }

    private mutating func open() -> Verdict {
        (isClosed, refused, refusesFormat) = (false, nil, false)
        return .passes
    }

    private mutating func closeForFormat() -> Verdict {
        refusesFormat = true
        return close(nil)
    }

    private mutating func close(_ size: Resolution?) -> Verdict {
        isClosed = true
        refused = size ?? refused
        return .isWithheld(needsKeyframe: false)
    }
}

extension MediaSample {
    /// Returns the sample as passed to a decoder; nil if it is withheld.
    func passing(_ verdict: DecodingGate.Verdict?) -> MediaSample? {
        switch verdict {
        case .passes: self
        case .passesAs(let bytes): replacing(with: bytes)
        case .passesWith(let bytes): appending(bytes)
        case .isWithheld, nil: nil
        }
    }
}
