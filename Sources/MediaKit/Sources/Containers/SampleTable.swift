/// The boxes that specify how many samples a track of an MP4 file has.
struct SampleTable {
    /// The boxes by type.
    private var boxes: [String: Range<UInt64>] = [:]

    private static let maximumRanges: UInt64 = 4_000_000
    private static let tables: Set<String> = ["stsd", "stsz", "stz2", "stts", "stsc", "stco", "co64"]
    private static let optionalTables: Set<String> = ["ctts", "stss", "stps"]

    /// Adds a box of the track if it belongs to the table.
    mutating func add(_ box: BoxTree.Box, of file: BoundedFile) throws(ContainerRefusal) {
        let isTable = Self.tables.contains(box.name) || Self.optionalTables.contains(box.name)
        guard box.parent == "stbl" && isTable || box.parent == "mdia" && box.name == "hdlr" else { return }
        guard boxes.updateValue(box.content, forKey: box.name) == nil else {
            throw ContainerRefusal("a track has two boxes “\(box.name)”")
        }
    }

    /// Counts the samples for which GStreamer allocates memory, and those among them without an entry in a table.
    func count(in file: BoundedFile) throws(ContainerRefusal) -> (samples: UInt64, implied: UInt64) {
        let (chunks, missingChunks) = try chunks(in: file)
        var (samples, implied): (UInt64, UInt64) = (0, 0)
        if let compact = boxes["stz2"] {
            let declared = try file.number(at: compact.lowerBound + 8, size: 4) ?? 0
            let bits = (try file.number(at: compact.lowerBound + 4, size: 4) ?? 0) & 0xFF
            let present = bits == 0 ? 0 : compact.length(after: 12) * 8 / bits
            samples = declared
            implied = declared - min(declared, present)
        }
        guard let sizes = boxes["stsz"], let declared = try file.number(at: sizes.lowerBound + 8, size: 4)
        else { return (samples, implied) }
        guard try file.number(at: sizes.lowerBound + 4, size: 4) != 0 else {
            return (
                max(samples, declared), max(implied, declared - min(declared, sizes.length(after: 12) / 4))
            )
        }
        let isAudio = try isAudio(in: file)
        if isAudio { try checkOrder(chunks: chunks, in: file) }
        guard isAudio, try isReadByChunks(in: file) else {
            let count = max(samples, declared, chunks)
            return (count, count)
        }
        return (max(samples, chunks), max(implied, missingChunks))
    }

    /// Returns the declared number of chunks, and the number of chunks without an entry.
    private func chunks(in file: BoundedFile) throws(ContainerRefusal) -> (declared: UInt64, missing: UInt64)
    {
        var (chunks, missing): (UInt64, UInt64) = (0, 0)
        for (name, size) in [("stco", 4), ("co64", 8)] as [(String, UInt64)] {
            guard let box = boxes[name], let declared = try file.number(at: box.lowerBound + 4, size: 4)
            else { continue }
            chunks = max(chunks, declared)
            missing = max(missing, declared - min(declared, box.length(after: 8) / size))
        }
        return (chunks, missing)
    }

    private func isAudio(in file: BoundedFile) throws(ContainerRefusal) -> Bool {
        guard let handler = boxes["hdlr"] else { return false }
        return try file.bytes(4, at: handler.lowerBound + 8).elementsEqual("soun".utf8)
    }

    /// Checks that the ranges of chunks are in ascending order, because qtdemux writes an entry for each chunk in them.
    private func checkOrder(chunks: UInt64, in file: BoundedFile) throws(ContainerRefusal) {
        guard let box = boxes["stsc"], let declared = try file.number(at: box.lowerBound + 4, size: 4) else {
            return
        }
        var before: UInt64 = 0
        let count = min(declared, box.length(after: 8) / 12)
        guard count <= Self.maximumRanges else {
            throw ContainerRefusal("a track has too many ranges of chunks")
        }
        for index in 0..<count {
            guard let first = try file.number(at: box.lowerBound + 8 + index * 12, size: 4) else { return }
            guard before == 0 ? first == 1 : first > before, first <= max(1, chunks) else {
                throw ContainerRefusal("the chunks of a track are not in ascending order")
            }
            before = first
        }
    }

    /// Returns whether qtdemux treats whole chunks as samples, which is usual for audio such as PCM.
    private func isReadByChunks(in file: BoundedFile) throws(ContainerRefusal) -> Bool {
        guard let box = boxes["stsd"], try file.number(at: box.lowerBound + 4, size: 4) == 1 else {
            return false
        }
        let bytes = try file.bytes(
            Int(min(box.length(after: 0), SoundDescription.maximumLength)),
            at: box.lowerBound
        )
        let hasOptions = Self.optionalTables.contains { boxes[$0] != nil }
        let times = try boxes["stts"].map { (times) throws(ContainerRefusal) in
            try file.number(at: times.lowerBound + 4, size: 4) ?? 0
        }
        let isUniform = !hasOptions && (times ?? 0) == 1
        return SoundDescription(bytes.dropFirst(8))?.isReadByChunks(uniform: isUniform) ?? false
    }
}

extension Range<UInt64> {
    /// Returns the number of bytes after the first `head` bytes.
    fileprivate func length(after head: UInt64) -> UInt64 {
        let length = upperBound - lowerBound
        return length - Swift.min(length, head)
    }
}
