/// Parses the NAL units of an access unit in byte stream format (ITU-T H.264, annex B).
enum H264Units {
    /// Returns the byte range of each unit, from its header up to the next start code without trailing zeros.
    static func ranges(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        var (ranges, start): ([Range<Int>], Int?) = ([], nil)
        var index = 0
        while index + 2 < bytes.count {
            // If the third byte exceeds 1, no start code can begin at any of these three positions.
            if bytes[index + 2] > 1 {
                index += 3
            } else if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
                if let start { ranges.append(start..<end(of: start..<index, in: bytes)) }
                start = index + 3
                index += 3
            } else {
                index += 1
            }
        }
        if let start { ranges.append(start..<end(of: start..<bytes.count, in: bytes)) }
        return ranges.filter { !$0.isEmpty }
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
