/// The start codes of three bytes in a byte stream of H.264 (ITU-T H.264, annex B).
package enum H264StartCodes {
    package static let length = 3

    /// Returns the positions of all start codes.
    package static func positions(in bytes: UnsafeRawBufferPointer) -> [Int] {
        var (position, positions): (Int, [Int]) = (0, [])
        while position + 2 < bytes.count {
            switch bytes[position + 2] {
            case 0: position += 1
            case 1:
                if bytes[position] == 0, bytes[position + 1] == 0 { positions.append(position) }
                position += 3
            // No start code can begin at any of these three positions.
            default: position += 3
            }
        }
        return positions
    }
}
