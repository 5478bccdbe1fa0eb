internal import Basics

/// Tracks which parameter sets of a stream exceed the decoding limit and which frames refer to them.
struct H264SizeTracker {
    enum Verdict: Hashable {
        /// The access unit is decoded without the NAL units in these ranges; the second value is the
        /// resolution of its frame, nil if unknown.
        case passes(without: [Range<Int>], Resolution?)
        case isTooLarge(Resolution)
        case isUnreadable
        /// The samples are not 8-bit 4:2:0, and not all formats are accepted.
        case isOtherFormat
    }

    private static let (message, sequence, picture, subset) = (UInt8(6), UInt8(7), UInt8(8), UInt8(15))
    /// The NAL unit types of slices with their own header.
    private static let slices: Set<UInt8> = [1, 2, 5]
    /// The maximum number of bytes to read from a parameter set; real parameter sets are shorter.
    private static let longestSet = 4096

    private var sizes: [Int: Resolution] = [:]
    /// The sequence parameter set ID of each picture parameter set.
    private var sequences: [Int: Int] = [:]

    /// Reads the next access unit and decides whether it may be decoded.
    mutating func judge(
        _ bytes: UnsafeRawBufferPointer,
        by limit: DecodingLimit,
        acceptsAllFormats: Bool = false
    ) -> Verdict {
        var withheld: [Range<Int>] = []
        var size: Resolution?
        for range in H264Units.ranges(in: bytes) {
            let type = bytes[range.lowerBound] & 0x1F
            switch type {
            case Self.sequence, Self.subset:
                guard let set = H264SequenceParameters(bytes[range], maximum: Self.longestSet) else {
                    return .isUnreadable
                }
                guard acceptsAllFormats || set.isCommonFormat else { return .isOtherFormat }
                // Subset parameter sets, used by scalable video, have separate IDs, and the slice types
                // handled below never refer to them.
                if type == Self.sequence { sizes[set.id] = set.size }
                if !limit.allows(set.size) { withheld.append(range) }
            case Self.picture:
                var reader = BitReader(H264Unit.payload(of: bytes[range], maximum: 16))
                guard let id = reader.exponential(0...255), let sequence = reader.exponential(0...31) else {
                    return .isUnreadable
                }
                sequences[id] = sequence
            case _ where Self.slices.contains(type):
                guard let sliceSize = sizeOfSlice(bytes[range]) else { continue }
                guard limit.allows(sliceSize) else { return .isTooLarge(sliceSize) }
                size = sliceSize
            // libav stores each SEI message until the second field of a frame, and no decoder here needs them.
            case Self.message: withheld.append(range)
            default: break
            }
        }
        return .passes(without: withheld, size)
    }

    /// Returns the resolution of the frame that a slice belongs to; nil if its parameter sets have not been
    /// seen.
    private func sizeOfSlice(_ unit: Slice<UnsafeRawBufferPointer>) -> Resolution? {
        var reader = BitReader(H264Unit.payload(of: unit, maximum: 16))
        guard reader.exponential() != nil, reader.exponential() != nil, let picture = reader.exponential()
        else { return nil }
        return sequences[picture].flatMap { sizes[$0] }
    }
}
