/// A NAL unit of H.264 (ITU-T H.264, 7.3.1).
package enum H264Unit {
    /// Returns the bytes after a unit's header without emulation prevention bytes; at most `maximum`
    /// bytes are read.
    package static func payload(of unit: some Sequence<UInt8>, maximum: Int) -> [UInt8] {
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
