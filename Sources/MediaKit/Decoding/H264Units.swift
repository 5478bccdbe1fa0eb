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

    /// Returns the bytes after a unit's header without emulation prevention bytes (7.3.1); at most `maximum`
    /// bytes are read.
    static func payload(of unit: Slice<UnsafeRawBufferPointer>, maximum: Int) -> [UInt8] {
        var (payload, zeros): ([UInt8], Int) = ([], 0)
        for byte in unit.dropFirst().prefix(maximum) {
            if byte == 3, zeros >= 2 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            payload.append(byte)
        }
        return payload
    }
}
