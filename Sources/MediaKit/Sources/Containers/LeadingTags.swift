/// The tags at the beginning of a file, which GStreamer strips before it detects the media type.
enum LeadingTags {
    private static let maximumCount = 16

    /// Returns the position after the ID3 and APE tags at the beginning of a file.
    static func end(in file: BoundedFile) throws(ContainerRefusal) -> UInt64 {
        var place: UInt64 = 0
        for _ in 0..<maximumCount {
            guard let length = length(of: try file.bytes(32, at: place)) else { return place }
            place += length
        }
        throw ContainerRefusal("it begins with more than \(maximumCount - 1) tags")
    }

    /// Returns the length of the tag with this header; nil if the header is not that of a tag.
    private static func length(of header: ArraySlice<UInt8>) -> UInt64? {
        if header.starts(with: Array("ID3".utf8)), header.count >= 10 {
            let sizes = header.dropFirst(6).prefix(4)
            guard sizes.allSatisfy({ $0 < 0x80 }) else { return nil }
            let hasFooter = header.dropFirst(5).first.map { $0 & 0x10 != 0 } ?? false
            return sizes.reduce(0) { $0 << 7 | UInt64($1) } + (hasFooter ? 20 : 10)
        }
        if header.starts(with: Array("APETAGEX".utf8)), header.count >= 16 {
            // The size is little-endian, and does not include this header.
            return header.dropFirst(12).prefix(4).reversed().reduce(0) { $0 << 8 | UInt64($1) } + 32
        }
        return nil
    }
}
