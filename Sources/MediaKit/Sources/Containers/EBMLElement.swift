/// The header of an element in a Matroska file (RFC 8794).
struct EBMLElement: Hashable, Sendable {
    /// The maximum size of a header in bytes.
    static let maximumHead = 12

    /// The identifier, including the bits that encode its length.
    var id: UInt64
    /// The size of the content in bytes; nil if it is unknown, so that the element ends before the next element that
    /// cannot be its child.
    var size: UInt64?
    /// The size of the header in bytes.
    var head: UInt64

    /// Parses the header at the start of `bytes`; nil if it is invalid or incomplete.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let first = bytes.first, first >= 0x10 else { return nil }
        let idLength = first.leadingZeroBitCount + 1
        let rest = bytes.dropFirst(idLength)
        guard let id = bytes.number(at: 0, size: idLength), let start = rest.first, start != 0 else {
            return nil
        }
        let sizeLength = start.leadingZeroBitCount + 1
        guard let coded = rest.number(at: 0, size: sizeLength) else { return nil }
        let mask = (UInt64(1) << (7 * UInt64(sizeLength))) - 1
        self.id = id
        size = coded & mask == mask ? nil : coded & mask
        head = UInt64(idLength + sizeLength)
    }
}

extension EBMLElement {
    /// The identifiers of the elements that decide whether a file may be played (RFC 9559).
    enum ID {
        static let segment: UInt64 = 0x1853_8067
        static let seekHead: UInt64 = 0x114D_9B74
        static let seek: UInt64 = 0x4DBB
        static let seekID: UInt64 = 0x53AB
        static let seekPosition: UInt64 = 0x53AC
        static let cluster: UInt64 = 0x1F43_B675
        static let tracks: UInt64 = 0x1654_AE6B
        static let trackEntry: UInt64 = 0xAE
        static let contentEncodings: UInt64 = 0x6D80
        static let contentEncoding: UInt64 = 0x6240
        static let contentEncodingScope: UInt64 = 0x5032
    }
}
