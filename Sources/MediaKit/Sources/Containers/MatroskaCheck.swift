internal import Glibc

/// The check of a Matroska or WebM file (RFC 9559).
///
/// matroskademux decompresses the setup data of all tracks before anything is decoded. The check finds track
/// descriptions where matroskademux finds them: between clusters, at the positions in the file's index, and after
/// damaged data. It does not read the content of clusters, because their blocks fill the whole file. It therefore
/// misses track descriptions inside a cluster, which matroskademux reads during playback.
struct MatroskaCheck {
    private typealias ID = EBMLElement.ID

    private static let magic: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3]
    private static let maximumTracks = 200
    /// The maximum number of elements that are read in a file; clusters are usually longer than a second.
    private static let maximumElements = 400_000
    /// The maximum number of elements in clusters of unknown size, after which the search for track descriptions ends.
    ///
    /// matroskademux does not skip such clusters in its own search.
    private static let maximumBlocks = 10_000
    private static let maximumLinks = 64
    /// The maximum number of bytes that are searched for the next cluster after damaged data.
    private static let maximumDamage: UInt64 = 32_000_000

    private let file: BoundedFile
    private var elements = 0
    private var tracks = 0
    private var damage: UInt64 = 0
    /// The positions of the track descriptions that were checked, and of the elements to which an index refers.
    private var links: Set<UInt64> = []

    private init(_ file: BoundedFile) { self.file = file }

    /// Checks the elements of a file from the position `start` on; a file that is not Matroska passes.
    ///
    /// - Throws: The reason for refusing the file.
    static func check(_ file: BoundedFile, from start: UInt64) throws(ContainerRefusal) {
        guard try file.bytes(4, at: start).elementsEqual(magic) else { return }
        var check = MatroskaCheck(file)
        try check.walk(from: start)
    }

    /// Walks through the top-level elements.
    private mutating func walk(from start: UInt64) throws(ContainerRefusal) {
        var place = start
        var segment = start
        var isInsideCluster = false
        var blocks = 0
        while place < file.size {
            guard let (element, content) = try element(at: place, before: file.size) else {
                guard let next = try nextCluster(after: place) else { return }
                place = next
                continue
            }
            let start = place
            place = content.upperBound
            switch element.id {
            case ID.segment: (segment, place) = (content.lowerBound, content.lowerBound)
            // An index may have led to it before.
            case ID.tracks: if links.insert(start).inserted { try checkTracks(content) }
            case ID.seekHead: try follow(content, segment: segment)
            case ID.cluster:
                isInsideCluster = element.size == nil
                if isInsideCluster { place = content.lowerBound }
            case _ where element.size == nil: place = content.lowerBound
            default:
                guard isInsideCluster else { break }
                blocks += 1
                if blocks > Self.maximumBlocks { return }
            }
        }
    }

    /// Reads the header of an element, and returns it with the range of its content, cut off at `end`; nil if the
    /// header is invalid.
    private mutating func element(
        at place: UInt64,
        before end: UInt64
    ) throws(ContainerRefusal) -> (EBMLElement, Range<UInt64>)? {
        elements += 1
        guard elements <= Self.maximumElements else {
            throw ContainerRefusal("it consists of too many parts")
        }
        guard let element = EBMLElement(try file.bytes(EBMLElement.maximumHead, at: place)),
            element.head <= end - min(place, end)
        else { return nil }
        let start = place + element.head
        return (element, start..<start + min(element.size ?? .max, end - start))
    }

    /// Calls `body` with the elements in `range`, the content of another element, up to the first invalid header.
    private mutating func forEach(
        in range: Range<UInt64>,
        _ body: (inout Self, EBMLElement, Range<UInt64>) throws(ContainerRefusal) -> Void
    ) throws(ContainerRefusal) {
        var place = range.lowerBound
        while place < range.upperBound,
            let (element, content) = try element(at: place, before: range.upperBound)
        {
            try body(&self, element, content)
            place = content.upperBound
        }
    }

    /// Finds the next cluster or track description, as matroskademux does after damaged data; nil if there is none.
    private mutating func nextCluster(after place: UInt64) throws(ContainerRefusal) -> UInt64? {
        let chunk = 65_536
        var place = place + 1
        while place < file.size {
            let bytes = try file.bytes(chunk, at: place)
            // Each read counts in full, because the element that is found may be damaged, too.
            // A download that is not complete consists of zeros.
            let isEmpty = bytes.allSatisfy { $0 == 0 }
            damage += UInt64(isEmpty ? bytes.count / 64 : bytes.count)
            guard damage <= Self.maximumDamage else { throw ContainerRefusal("it is damaged") }
            let found = [ID.cluster, ID.tracks].compactMap { bytes.position(ofIdentifier: $0) }.min()
            if let found { return place + UInt64(found) }
            guard bytes.count == chunk else { return nil }
            // An identifier may begin in the last three bytes.
            place += UInt64(chunk - 3)
        }
        return nil
    }

    // MARK: Tracks

    private mutating func checkTracks(_ range: Range<UInt64>) throws(ContainerRefusal) {
        try forEach(in: range) { (check, element, content) throws(ContainerRefusal) in
            guard element.id == ID.trackEntry else { return }
            check.tracks += 1
            guard check.tracks <= Self.maximumTracks else {
                throw ContainerRefusal("it has more than \(Self.maximumTracks) tracks")
            }
            try check.forEach(in: content) { (check, element, content) throws(ContainerRefusal) in
                guard element.id == ID.contentEncodings else { return }
                try check.forEach(in: content) { (check, element, content) throws(ContainerRefusal) in
                    guard element.id == ID.contentEncoding else { return }
                    try check.checkEncoding(content)
                }
            }
        }
    }

    /// Checks that an encoding applies only to frames, which is also the default.
    private mutating func checkEncoding(_ range: Range<UInt64>) throws(ContainerRefusal) {
        try forEach(in: range) { (check, element, content) throws(ContainerRefusal) in
            guard element.id == ID.contentEncodingScope, try check.number(content) ?? .max > 1 else { return }
            throw ContainerRefusal("the setup data of a track is compressed")
        }
    }

    // MARK: The index

    /// Checks the elements to which an index refers.
    private mutating func follow(_ range: Range<UInt64>, segment: UInt64) throws(ContainerRefusal) {
        try forEach(in: range) { (check, element, content) throws(ContainerRefusal) in
            guard element.id == ID.seek else { return }
            var (id, position): (UInt64?, UInt64?) = (nil, nil)
            try check.forEach(in: content) { (check, element, content) throws(ContainerRefusal) in
                switch element.id {
                case ID.seekID: id = try check.number(content)
                case ID.seekPosition: position = try check.number(content)
                default: break
                }
            }
            guard let id, id == ID.tracks || id == ID.seekHead, let position else { return }
            try check.checkLinked(
                at: segment.addingReportingOverflow(position).partialValue,
                segment: segment
            )
        }
    }

    /// Checks an element to which an index refers, unless it was checked before.
    private mutating func checkLinked(at place: UInt64, segment: UInt64) throws(ContainerRefusal) {
        guard place < file.size, links.insert(place).inserted else { return }
        // This also limits how deeply indexes refer to each other.
        guard links.count <= Self.maximumLinks else { throw ContainerRefusal("its index has too many parts") }
        guard let (element, content) = try element(at: place, before: file.size) else { return }
        switch element.id {
        case ID.tracks: try checkTracks(content)
        case ID.seekHead: try follow(content, segment: segment)
        default: break
        }
    }

    /// Reads an integer; nil if it is longer than eight bytes or cut off.
    private func number(_ content: Range<UInt64>) throws(ContainerRefusal) -> UInt64? {
        guard content.upperBound - content.lowerBound <= 8 else { return nil }
        return try file.number(at: content.lowerBound, size: Int(content.upperBound - content.lowerBound))
    }
}

extension ArraySlice<UInt8> {
    /// The offset of the first occurrence of a four-byte identifier; nil if there is none.
    fileprivate func position(ofIdentifier id: UInt64) -> Int? {
        let pattern = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: id >> $0) }
        return withUnsafeBytes { bytes in
            var place = 0
            while bytes.count - place >= pattern.count, let start = bytes.baseAddress,
                let found = memchr(start + place, Int32(pattern[0]), bytes.count - place)
            {
                place = UnsafeRawPointer(found) - start
                if bytes[place...].starts(with: pattern) { return place }
                place += 1
            }
            return nil
        }
    }
}
