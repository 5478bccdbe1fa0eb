/// The check of an MP4 or QuickTime file (ISO/IEC 14496-12).
///
/// qtdemux builds a table with 32 bytes for each sample of a track. If a box has one entry per sample, the size of the
/// file limits the number of samples; other boxes only declare a number of samples of the same size.
struct MovieCheck {
    /// The maximum number of samples without an entry of their own, in all tracks.
    private static let maximumImplied: UInt64 = 4_000_000
    /// The maximum number of samples in all tracks: ten hours at 60 frames a second with AAC have four million.
    private static let maximumSamples: UInt64 = 12_000_000
    /// The maximum number of samples without an entry of their own in one `trun` box.
    private static let maximumRun: UInt64 = 200_000
    private static let maximumTracks = 200
    /// The maximum number of top-level boxes.
    ///
    /// An unfinished recording by callrunner has a fragment for each sample: ten hours have six million boxes.
    private static let maximumBoxes = 20_000_000

    /// The boxes that GStreamer loads as a whole, and their maximum size in bytes: an index with all the samples that
    /// are permitted is smaller.
    private static let loaded: Set<String> = ["moov", "moof", "uuid", "sidx", "meta", "ftyp", "styp"]
    static let longest: UInt64 = 200_000_000

    private var samples: UInt64 = 0
    private var implied: UInt64 = 0

    /// Checks the boxes of a file from the position `start` on.
    ///
    /// - Throws: The reason for refusing the file.
    static func check(_ file: BoundedFile, from start: UInt64) throws(ContainerRefusal) {
        var check = MovieCheck()
        try check.add(file, from: start)
    }

    /// Checks the boxes of a file, or of a part of it; the limits apply to all parts together.
    ///
    /// - Throws: The reason for refusing the file.
    mutating func add(_ file: BoundedFile, from start: UInt64) throws(ContainerRefusal) {
        let tree = BoxTree(file)
        var place = start
        var count = 0
        while place < file.size, let box = MP4Box(try file.bytes(16, at: place)) {
            count += 1
            // Boxes beyond the limit must not escape the check: GStreamer reads any number of boxes.
            guard count <= Self.maximumBoxes else {
                throw ContainerRefusal("it consists of more than \(Self.maximumBoxes) boxes")
            }
            // The last box may have the size 0, and a 64-bit size of 0 ends the file for GStreamer.
            let rest = file.size - place
            let size = box.size == 0 && box.head == 8 ? rest : min(box.size, rest)
            guard size > 0 else { return }
            guard size <= Self.longest || !Self.loaded.contains(box.name) else {
                throw ContainerRefusal("its index is too long")
            }
            if size > box.head {
                let content = place + box.head..<place + size
                switch box.name {
                case "moov": try addIndex(content, of: file, tree)
                case "moof": try addFragment(content, of: file, tree)
                default: break
                }
            }
            // GStreamer advances even by a size that is smaller than the header.
            place += size
        }
    }

    private mutating func add(samples: UInt64, implied: UInt64) throws(ContainerRefusal) {
        // Both are sums of 32-bit numbers, of which there are fewer than 2³².
        self.samples += samples
        self.implied += implied
        guard self.implied <= Self.maximumImplied, self.samples <= Self.maximumSamples else {
            throw ContainerRefusal("it declares too many samples")
        }
    }

    // MARK: The index

    private mutating func addIndex(
        _ content: Range<UInt64>,
        of file: BoundedFile,
        _ tree: BoxTree
    ) throws(ContainerRefusal) {
        var tracks: [SampleTable] = []
        var edits = EditCheck()
        try tree.walk(content, of: "moov") { (box) throws(ContainerRefusal) in
            switch box.name {
            case "mvhd", "elst": try edits.add(box, of: file)
            case "cmov": throw ContainerRefusal("its index is compressed")
            case "trak":
                guard tracks.count < Self.maximumTracks else {
                    throw ContainerRefusal("it has more than \(Self.maximumTracks) tracks")
                }
                tracks.append(SampleTable())
            default:
                guard !tracks.isEmpty else { return }
                try tracks[tracks.count - 1].add(box, of: file)
            }
        }
        try edits.finish()
        for track in tracks {
            let count = try track.count(in: file)
            try add(samples: count.samples, implied: count.implied)
        }
    }

    // MARK: Fragments

    private mutating func addFragment(
        _ content: Range<UInt64>,
        of file: BoundedFile,
        _ tree: BoxTree
    ) throws(ContainerRefusal) {
        var (samples, implied): (UInt64, UInt64) = (0, 0)
        try tree.walk(content, of: "moof") { (box) throws(ContainerRefusal) in
            guard box.name == "trun", let flags = try file.number(at: box.content.lowerBound, size: 4),
                let declared = try file.number(at: box.content.lowerBound + 4, size: 4)
            else { return }
            let head: UInt64 = 8 + (flags & 0x1 != 0 ? 4 : 0) + (flags & 0x4 != 0 ? 4 : 0)
            let entry = UInt64((flags & 0xF00).nonzeroBitCount) * 4
            let present = entry == 0 || box.length < head ? 0 : (box.length - head) / entry
            let missing = declared - min(declared, present)
            guard missing <= Self.maximumRun else {
                throw ContainerRefusal("a fragment declares \(declared) samples without describing them")
            }
            samples += declared
            implied += missing
        }
        try add(samples: samples, implied: implied)
    }
}
