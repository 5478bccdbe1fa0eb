/// The nested boxes of an MP4 file, visited in file order.
///
/// A box counts as a container if its content begins like a box. GStreamer enters only boxes of certain types, so
/// `BoxTree` visits every box that GStreamer visits.
final class BoxTree {
    struct Box {
        var name: String
        /// The type of the enclosing box.
        var parent: String
        /// The range of the content in the file, in bytes.
        var content: Range<UInt64>

        var length: UInt64 { content.upperBound - content.lowerBound }
    }

    private static let maximumCount = 100_000
    /// The maximum number of boxes in all calls of `walk`; a fragment has five to nine.
    private static let maximumTotal = 60_000_000
    private static let maximumDepth = 16
    /// The boxes that are not entered: those that GStreamer reads as tables or ignores, and the sample descriptions.
    private static let leaves: Set<String> = [
        "stsz", "stz2", "stts", "stsc", "stco", "co64", "ctts", "stss", "stps", "trun", "hdlr", "stsd",
        "elst",
        "free", "skip",
    ]

    /// The types of sample descriptions, in which GStreamer looks for boxes wherever the descriptions are in an index.
    private static let descriptions: Set<String> = [
        "stsd", "mp4a", "alac", "fLaC", "aavd", "mp4v", "MP4V", "fmp4", "FMP4", "apcs", "apch", "apcn",
        "apco",
        "ap4h", "xvid", "XVID", "H264", "avc1", "avc3", "H265", "hvc1", "hev1", "dvh1", "dvhe", "mjp2",
        "encv",
        "mp4s", "XiTh", "in24", "enca",
    ]
    /// The maximum size of all sample descriptions of an index in bytes; GStreamer may enter their boxes to any depth.
    private static let maximumDescription: UInt64 = 128 * 1024

    private let file: BoundedFile
    private var total = 0
    private var count = 0
    private var described: UInt64 = 0

    init(_ file: BoundedFile) { self.file = file }

    /// Calls `visit` with each box in `content`, the content of a box named `name`, and with all boxes nested in them.
    func walk(
        _ content: Range<UInt64>,
        of name: String,
        _ visit: (Box) throws(ContainerRefusal) -> Void
    ) throws(ContainerRefusal) {
        (count, described) = (0, 0)
        try walk(content, of: name, depth: 1, visit)
    }

    private func walk(
        _ range: Range<UInt64>,
        of parent: String,
        depth: Int,
        _ visit: (Box) throws(ContainerRefusal) -> Void
    ) throws(ContainerRefusal) {
        var place = range.lowerBound
        // Inside other boxes, GStreamer supports neither 64-bit sizes nor the size 0.
        while range.upperBound - place >= 8, let header = MP4Box(try file.bytes(16, at: place)),
            header.head == 8, header.size >= 8, header.size <= range.upperBound - place
        {
            guard depth <= Self.maximumDepth else {
                throw ContainerRefusal("its boxes are nested more than \(Self.maximumDepth) deep")
            }
            (count, total) = (count + 1, total + 1)
            guard count <= Self.maximumCount else {
                throw ContainerRefusal("its index has more than \(Self.maximumCount) boxes")
            }
            guard total <= Self.maximumTotal else { throw ContainerRefusal("it consists of too many parts") }
            let end = place + header.size
            let box = Box(name: header.name, parent: parent, content: place + 8..<end)
            if Self.descriptions.contains(box.name) { described += box.length }
            guard described <= Self.maximumDescription else {
                throw ContainerRefusal("the sample descriptions of its tracks are too long")
            }
            try visit(box)
            if !Self.leaves.contains(box.name) {
                try walk(box.content, of: box.name, depth: depth + 1, visit)
                // Except in QuickTime, version and flags come before the boxes inside.
                if box.name == "meta", box.length > 4 {
                    try walk(place + 12..<end, of: box.name, depth: depth + 1, visit)
                }
            }
            place = end
        }
    }
}
