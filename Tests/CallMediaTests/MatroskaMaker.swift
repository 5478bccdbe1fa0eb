/// A maker of Matroska files, whose fields tests choose.
enum MatroskaMaker {
    /// The bytes that mark a size as unknown.
    private static let unknown: [UInt8] = [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]

    private static func bytes(_ value: Int, width: Int? = nil) -> [UInt8] {
        let needed = max(1, (Int.bitWidth - value.leadingZeroBitCount + 7) / 8)
        return (0..<(width ?? needed)).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Makes an element whose size takes eight bytes, or whose size is unknown.
    static func element(_ id: Int, _ content: [UInt8], isLive: Bool = false) -> [UInt8] {
        bytes(id) + (isLive ? unknown : [0x01] + bytes(content.count, width: 7)) + content
    }

    /// Makes a `ContentEncodings` element.
    static func encoding(scope: Int?, algorithm: Int = 0, width: Int? = nil) -> [UInt8] {
        let scope = scope.map { element(0x5032, bytes($0, width: width)) } ?? []
        let compression = element(0x5034, element(0x4254, bytes(algorithm)))
        return element(0x6D80, element(0x6240, element(0x5031, [0]) + scope + compression))
    }

    static func tracks(_ count: Int = 1, encoding: [UInt8]) -> [UInt8] {
        let entries = (1...count).flatMap { number in
            element(0xAE, element(0xD7, bytes(number)) + element(0x83, [1]) + encoding)
        }
        return element(0x1654_AE6B, entries)
    }

    static func cluster(isLive: Bool = false) -> [UInt8] {
        element(0x1F43_B675, element(0xE7, [0]) + element(0xA3, [0x81, 0, 0, 0x80, 1, 2, 3]), isLive: isLive)
    }

    /// Makes a `SeekHead` element, which refers to the element at `place` in the segment; by default, that is the one
    /// `skipped` bytes after it.
    static func link(to id: Int, at place: Int? = nil, skipping skipped: Int = 0) -> [UInt8] {
        func link(_ position: Int) -> [UInt8] {
            let fields = element(0x53AB, bytes(id)) + element(0x53AC, bytes(position, width: 8))
            return element(0x114D_9B74, element(0x4DBB, fields))
        }
        return link(place ?? link(0).count + skipped)
    }

    /// Makes a file with this content of its segment.
    static func file(_ content: [UInt8], isLive: Bool = false) -> [UInt8] {
        element(0x1A45_DFA3, element(0x4282, Array("matroska".utf8)))
            + element(0x1853_8067, content, isLive: isLive)
    }

    static func film(tracks count: Int = 1, encoding: [UInt8] = []) -> [UInt8] {
        file(element(0x1549_A966, []) + tracks(count, encoding: encoding) + cluster())
    }
}
