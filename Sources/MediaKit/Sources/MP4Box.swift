/// The header of a box in an MP4 file (ISO/IEC 14496-12 §4.2).
struct MP4Box: Hashable, Sendable {
    /// The four-character type of the box, such as `moov`.
    var name: String
    /// The size of the whole box in bytes.
    var size: UInt64
    /// The size of the header in bytes.
    var head: UInt64

    /// Parses the header at the start of `bytes`; nil if it is incomplete.
    init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes.prefix(16))[...]
        guard let size = bytes.number(at: 0, size: 4), bytes.count >= 8 else { return nil }
        name = String(decoding: bytes[4..<8], as: UTF8.self)
        guard size == 1 else {
            (self.size, head) = (size, 8)
            return
        }
        guard let large = bytes.number(at: 8, size: 8) else { return nil }
        (self.size, head) = (large, 16)
    }

    /// Returns the contents of the box that begins at the start of `bytes`.
    func content(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.prefix(Int(clamping: size)).dropFirst(Int(head))
    }
}

extension ArraySlice<UInt8> {
    /// The contents of the boxes that follow each other in these bytes.
    var boxes: BoxContents {
        var found = BoxContents()
        var rest = self
        while let box = MP4Box(rest), box.size >= box.head {
            found.add(box.content(in: rest), as: box.name)
            rest = rest.dropFirst(Int(clamping: box.size))
        }
        return found
    }

    /// Reads a big-endian integer of `size` bytes, at most 8; nil if fewer bytes are left.
    func number(at offset: Int, size: Int) -> UInt64? {
        let bytes = dropFirst(offset).prefix(size)
        guard bytes.count == size else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The contents of boxes by name, in file order.
struct BoxContents {
    private var contents: [String: [ArraySlice<UInt8>]] = [:]

    mutating func add(_ content: ArraySlice<UInt8>, as name: String) {
        contents[name, default: []].append(content)
    }

    subscript(_ name: String) -> [ArraySlice<UInt8>] { contents[name] ?? [] }
}
