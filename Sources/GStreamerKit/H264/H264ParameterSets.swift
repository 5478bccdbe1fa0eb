/// The parameter sets before an access unit's first slice, compared without their IDs.
///
/// Some encoders change the IDs at each keyframe. See ITU-T H.264, 7.3.2.1.1, 7.3.2.2, 7.4.1.2.3; the input
/// is a byte stream (annex B).
package struct H264ParameterSets: Hashable, Sendable {
    private static let (sequence, picture, slices) = (UInt8(7), UInt8(8), UInt8(1)...UInt8(5))

    /// The maximum number of sets that are read; encoders write a few.
    private static let maximum = 64

    private let contents: Set<Content>

    package var isEmpty: Bool { contents.isEmpty }

    package init(of unit: UnsafeRawBufferPointer) {
        var found: Set<Content> = []
        var count = 0
        var zeros = 0
        var start: Int?
        // A parameter set at the end of a unit without slices is complete, too.
        for index in 0...unit.count {
            let byte = index < unit.count ? unit[index] : 1
            if byte == 1 && (zeros >= 2 || index == unit.count) {
                if let start {
                    found.insert(Content(unit[start..<max(start, index - zeros)]))
                    count += 1
                }
                let type = index + 1 < unit.count ? unit[index + 1] & 0x1F : 1
                start = type == Self.sequence || type == Self.picture ? index + 1 : nil
                if Self.slices.contains(type) || count == Self.maximum { break }
            }
            zeros = byte == 0 ? zeros + 1 : 0
        }
        contents = found
    }

    /// Checks whether `others` contains all of these parameter sets.
    package func areAmong(_ others: H264ParameterSets) -> Bool { contents.isSubset(of: others.contents) }

    /// A parameter set, without its own ID and the ID of the parameter set to which it refers.
    private struct Content: Hashable {
        /// The NAL unit type; in a sequence parameter set also the profile, the constraints and the level.
        private let head: [UInt8]
        /// The bits after the IDs.
        private let rest: BitString

        /// The maximum length of a parameter set in bytes; a longer NAL unit is compared as a whole, with its
        /// IDs.
        private static let longest = 1024

        init(_ unit: Slice<UnsafeRawBufferPointer>) {
            let type = unit.first.map { $0 & 0x1F } ?? 0
            let count = type == H264ParameterSets.sequence ? 4 : 1
            guard unit.count <= Self.longest, unit.count > count else {
                (head, rest) = (Array(unit), BitString([]))
                return
            }
            head = [type] + unit.dropFirst().prefix(count - 1)
            var bits = BitString(unescaping: unit.dropFirst(count))
            bits.dropNumber()
            if type == H264ParameterSets.picture { bits.dropNumber() }
            rest = bits
        }
    }
}

/// The bits of a raw byte sequence payload up to its stop bit (ITU-T H.264, 7.2, 7.4.1, 9.1).
private struct BitString: Hashable {
    private var bits: ArraySlice<Bool>

    init(_ bits: [Bool]) { self.bits = bits[...] }

    init(unescaping bytes: some Sequence<UInt8>) {
        var bits: [Bool] = []
        var zeros = 0
        for byte in bytes {
            let isEmulation = zeros >= 2 && byte == 3
            zeros = byte == 0 ? zeros + 1 : 0
            if !isEmulation { bits += (0..<8).map { byte & 0x80 >> $0 != 0 } }
        }
        self.bits = bits[..<(bits.lastIndex(of: true) ?? bits.endIndex)]
    }

    /// Removes an unsigned Exp-Golomb number from the beginning.
    mutating func dropNumber() {
        let zeros = bits.prefix { !$0 }.count
        bits = bits.dropFirst(2 * zeros + 1)
    }
}
