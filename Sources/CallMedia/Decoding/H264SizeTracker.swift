internal import CallCore

/// Knows which of a stream's parameter sets are of video too large to be decoded, and which frames refer to them.
struct H264SizeTracker {
    enum Verdict: Hashable {
        /// The access unit is decoded but for these units; the size is that of its frame, where it is known.
        case passes(without: [Range<Int>], Resolution?)
        case isTooLarge(Resolution)
        case isUnreadable
    }

    private static let (sequence, picture, subset) = (UInt8(7), UInt8(8), UInt8(15))
    /// Slices that begin with a header of their own.
    private static let slices: Set<UInt8> = [1, 2, 5]
    /// More than any set has that is in use.
    private static let longestSet = 4096

    private var sizes: [Int: Resolution] = [:]
    /// The sequence parameter set of each picture parameter set.
    private var sequences: [Int: Int] = [:]

    /// Reads the next access unit.
    mutating func judge(_ bytes: UnsafeRawBufferPointer, by limit: DecodingLimit) -> Verdict {
        var withheld: [Range<Int>] = []
        var size: Resolution?
        for range in H264Units.ranges(in: bytes) {
            let type = bytes[range.lowerBound] & 0x1F
            switch type {
            case Self.sequence, Self.subset:
                let payload = H264Units.payload(of: bytes[range], most: Self.longestSet)
                guard let set = H264SequenceParameters(payload) else { return .isUnreadable }
                // The sets of scalable video are numbered by themselves, and refer to none of these.
                if type == Self.sequence { sizes[set.id] = set.size }
                if !limit.allows(set.size) { withheld.append(range) }
            case Self.picture:
                var reader = BitReader(H264Units.payload(of: bytes[range], most: 16))
                guard let id = reader.exponential(0...255), let sequence = reader.exponential(0...31) else {
                    return .isUnreadable
                }
                sequences[id] = sequence
            case _ where Self.slices.contains(type):
                guard let told = sizeOfSlice(bytes[range]) else { continue }
                guard limit.allows(told) else { return .isTooLarge(told) }
                size = told
            default: break
            }
        }
        return .passes(without: withheld, size)
    }

    /// The size of the frame that a slice belongs to; nil where its parameter sets have not been seen.
    private func sizeOfSlice(_ unit: Slice<UnsafeRawBufferPointer>) -> Resolution? {
        var reader = BitReader(H264Units.payload(of: unit, most: 16))
        guard reader.exponential() != nil, reader.exponential() != nil, let picture = reader.exponential()
        else { return nil }
        return sequences[picture].flatMap { sizes[$0] }
    }
}
