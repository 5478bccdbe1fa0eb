/// The parameter sets that stand before an access unit's first slice, as they are.
///
/// ITU-T H.264, 7.4.1.2.3; a byte stream (annex B).
package struct H264ParameterSets: Hashable, Sendable {
    private static let (sets, slices) = (UInt8(7)...UInt8(8), UInt8(1)...UInt8(5))

    /// Sequence and picture parameter sets, one after the other.
    private let bytes: [UInt8]

    package var isEmpty: Bool { bytes.isEmpty }

    package init(of unit: UnsafeRawBufferPointer) {
        var found: [UInt8] = []
        var zeros = 0
        var start: Int?
        for (index, byte) in unit.enumerated() {
            if byte == 1 && zeros >= 2 {
                if let start { found += unit[start..<index - zeros] }
                let type = index + 1 < unit.count ? unit[index + 1] & 0x1F : 1
                start = Self.sets.contains(type) ? index + 1 : nil
                if Self.slices.contains(type) { break }
            }
            zeros = byte == 0 ? zeros + 1 : 0
        }
        bytes = found
    }
}
