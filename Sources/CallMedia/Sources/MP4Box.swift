/// The head of a box, of which MP4 files consist (ISO/IEC 14496-12 §4.2).
struct MP4Box: Hashable, Sendable {
    /// Of four characters, as in `moov`.
    var name: String
    /// Of the whole box; bytes.
    var size: UInt64
    /// Bytes of the head.
    var head: UInt64

    /// Reads a head; nil where too few bytes are left.
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

    /// What is in the box that begins where `bytes` do.
    func content(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.prefix(Int(clamping: size)).dropFirst(Int(head))
    }
}

extension ArraySlice<UInt8> {
    /// The contents of the boxes that follow each other here, by their names.
    var boxes: BoxContents {
        var found = BoxContents()
        var rest = self
        while let box = MP4Box(rest), box.size >= box.head {
            found.add(box.content(in: rest), as: box.name)
            rest = rest.dropFirst(Int(clamping: box.size))
        }
        return found
    }

    /// A number of `size` bytes, at most 8, the highest first; nil where they are not all here.
    func number(at offset: Int, size: Int) -> UInt64? {
        let bytes = dropFirst(offset).prefix(size)
        guard bytes.count == size else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// What is in some boxes, in their order, by their names.
struct BoxContents {
    private var contents: [String: [ArraySlice<UInt8>]] = [:]

    mutating func add(_ content: ArraySlice<UInt8>, as name: String) {
        contents[name, default: []].append(content)
    }

    subscript(_ name: String) -> [ArraySlice<UInt8>] { contents[name] ?? [] }
}
