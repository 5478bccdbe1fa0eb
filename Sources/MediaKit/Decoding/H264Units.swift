internal import GStreamerKit

/// Parses the NAL units of an access unit in byte stream format (ITU-T H.264, annex B).
enum H264Units {
    /// Returns the byte range of each unit, from its header up to the next start code without trailing zeros.
    static func ranges(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        let starts = H264StartCodes.positions(in: bytes)
        return zip(starts, starts.dropFirst() + [bytes.count]).compactMap { start, next in
            let header = start + H264StartCodes.length
            let unit = header..<end(of: header..<next, in: bytes)
            return unit.isEmpty ? nil : unit
        }
    }

    private static func end(of unit: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Int {
        bytes[unit].lastIndex { $0 != 0 }.map { $0 + 1 } ?? unit.lowerBound
    }
}
