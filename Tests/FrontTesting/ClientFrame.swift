/// The frames of a WebSocket client (RFC 6455 §5.2), including invalid ones.
package enum ClientFrame {
    /// Creates a frame with any first byte, masked or not; `length` overrides the length in the header.
    package static func bytes(
        _ firstByte: UInt8,
        _ payload: [UInt8],
        isMasked: Bool = true,
        length: Int? = nil
    ) -> [UInt8] {
        let length = length ?? payload.count
        var frame = [firstByte]
        let maskBit: UInt8 = isMasked ? 0x80 : 0
        switch length {
        case 0..<126: frame.append(maskBit | UInt8(length))
        case 126..<65536: frame += [maskBit | 126, UInt8(length >> 8), UInt8(length & 255)]
        default:
            frame.append(maskBit | 127)
            frame += (0..<8).reversed().map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
        }
        // Frames below 64 KiB test that the server unmasks them. Longer ones use a zero mask to save time.
        let mask: [UInt8] = isMasked && length < 65536 ? [1, 2, 3, 4] : [0, 0, 0, 0]
        if isMasked { frame += mask }
        frame += mask == [0, 0, 0, 0] ? payload : payload.enumerated().map { $1 ^ mask[$0 % 4] }
        return frame
    }

    package static func text(_ text: String) -> [UInt8] { bytes(0x81, Array(text.utf8)) }

    package static func binary(_ payload: [UInt8]) -> [UInt8] { bytes(0x82, payload) }
}
