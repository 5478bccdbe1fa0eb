internal import Synchronization

/// Removes the NAL units that `H264UnitLimit` does not admit from an H.264 stream.
struct H264UnitFilter: Sendable {
    /// The format of a stream.
    enum Format: Hashable {
        /// A byte stream (ITU-T H.264, annex B); if `isAligned` is true, no unit continues in the next buffer.
        case byteStream(isAligned: Bool)
        /// Units that follow a length field of this number of bytes; each buffer contains whole access units.
        case lengths(Int)
    }

    /// The maximum length in bytes of a unit that continues in other buffers; h264parse buffers it until its end.
    private static let longest = 16_777_216

    private let format: Format
    /// Whether each buffer holds a whole access unit.
    private var holdsAccessUnits: Bool
    private var limit = H264UnitLimit()
    /// The end of the latest buffer, which is held back until the next buffer arrives.
    private var held: [UInt8] = []
    /// Whether the unit at the end of the latest buffer passes, and the number of its bytes that were processed.
    private var (isPassing, passed) = (false, 0)

    init(_ format: Format) {
        self.format = format
        holdsAccessUnits = format != .byteStream(isAligned: false)
    }

    /// Creates a filter for a stream of this format; nil if the format itself is rejected.
    ///
    /// The units in the configuration of the format (`avcC`, ISO/IEC 14496-15, 5.3.3.1) are checked, too.
    init?(_ caps: Caps) {
        let name = caps.string("stream-format")
        guard let header = caps.bytes(of: "codec_data") else {
            guard name == nil || name == "byte-stream" else { return nil }
            let alignment = caps.string("alignment")
            self.init(.byteStream(isAligned: ["au", "nal"].contains(alignment)))
            holdsAccessUnits = alignment == "au"
            return
        }
        var reader = ByteReader(header[...])
        guard name != "byte-stream", reader.bytes(4) != nil, let size = reader.number(1) else { return nil }
        self.init(.lengths(size & 3 + 1))
        for countBits in [0x1F, 0xFF] {
            guard let count = reader.number(1) else { return nil }
            for _ in 0..<count & countBits {
                guard let length = reader.number(2), let unit = reader.bytes(length),
                    unit.withUnsafeBytes({ H264StartCodes.positions(in: $0).isEmpty && limit.admits($0) })
                else { return nil }
            }
        }
    }

    /// Discards the bytes that are held back, because the next buffer does not continue the latest one.
    mutating func reset() { (held, isPassing, passed) = ([], false, 0) }

    /// Returns the admitted part of a buffer, including bytes held back from earlier buffers; nil if the buffer passes
    /// unchanged.
    mutating func passing(_ buffer: UnsafeRawBufferPointer) -> [UInt8]? {
        switch format {
        case .lengths(let size):
            limit.beginAccessUnit()
            return Self.joined(unitsAfterLengths(of: size, in: buffer), of: buffer)
        case .byteStream(let isAligned):
            if holdsAccessUnits { limit.beginAccessUnit() }
            guard !held.isEmpty else {
                return Self.joined(pieces(of: buffer, isAligned: isAligned), of: buffer)
            }
            let bytes = held + buffer
            held = []
            return bytes.withUnsafeBytes { bytes in
                Self.joined(pieces(of: bytes, isAligned: isAligned), of: bytes) ?? Array(bytes)
            }
        }
    }

    /// Joins pieces of a buffer; nil if they are the whole buffer.
    private static func joined(_ pieces: [Range<Int>], of buffer: UnsafeRawBufferPointer) -> [UInt8]? {
        guard pieces != [0..<buffer.count] else { return nil }
        return pieces.flatMap { buffer[$0] }
    }

    /// Returns the admitted pieces of a buffer; an incomplete unit at the end is left out.
    private mutating func unitsAfterLengths(of size: Int, in buffer: UnsafeRawBufferPointer) -> [Range<Int>] {
        var (pieces, start): ([Range<Int>], Int) = ([], 0)
        while start + size <= buffer.count {
            let length = buffer[start..<start + size].reduce(0) { $0 << 8 | Int($1) }
            let end = start + size + length
            guard end <= buffer.count else { break }
            let unit = UnsafeRawBufferPointer(rebasing: buffer[start + size..<end])
            // h264parse converts units to a byte stream, in which a unit that contains a start code would be several.
            if H264StartCodes.positions(in: unit).isEmpty, limit.admits(unit) {
                Self.append(start..<end, to: &pieces)
            }
            start = end
        }
        return pieces
    }

    /// Returns the admitted pieces of a byte stream, and holds back the bytes that depend on the next buffer.
    private mutating func pieces(of buffer: UnsafeRawBufferPointer, isAligned: Bool) -> [Range<Int>] {
        let starts = H264StartCodes.positions(in: buffer)
        var pieces: [Range<Int>] = []
        let first = starts.first ?? buffer.count
        if isAligned {
            // The parser would append any other bytes to the previous buffer, which would form an unchecked unit.
            let isPadding = !starts.isEmpty && buffer[..<first].allSatisfy { $0 == 0 }
            if isPadding { Self.append(0..<first, to: &pieces) }
        } else {
            pass(0..<first, isOpen: starts.isEmpty, of: buffer, to: &pieces)
        }
        for (index, start) in starts.enumerated() {
            let isLast = index + 1 == starts.count
            let end = isLast ? buffer.count : starts[index + 1]
            let unit = UnsafeRawBufferPointer(rebasing: buffer[start + H264StartCodes.length..<end])
            passed = 0
            guard isLast && !isAligned else {
                noteAccessUnit(unit)
                isPassing = limit.admits(unit)
                if isPassing { Self.append(start..<end, to: &pieces) }
                continue
            }
            guard let header = unit.first else {
                held = Array(buffer[start...])
                break
            }
            switch H264UnitLimit.outlook(header) {
            case .dependsOnContent(let longest) where unit.count <= longest:
                (isPassing, held) = (false, Array(buffer[start...]))
            case .passes:
                noteAccessUnit(unit)
                isPassing = limit.count()
                pass(start..<end, isOpen: true, of: buffer, to: &pieces)
            case .dependsOnContent, .isRemoved:
                isPassing = false
                pass(start..<end, isOpen: true, of: buffer, to: &pieces)
            }
        }
        return pieces
    }

    /// Adds a part of a unit to `pieces` if the unit passes; holds back zeros that may belong to the next start code.
    private mutating func pass(
        _ part: Range<Int>,
        isOpen: Bool,
        of buffer: UnsafeRawBufferPointer,
        to pieces: inout [Range<Int>]
    ) {
        var end = part.upperBound
        if isOpen {
            while end > part.lowerBound, part.upperBound - end < 2, buffer[end - 1] == 0 { end -= 1 }
            held = Array(buffer[end..<part.upperBound])
        }
        passed += end - part.lowerBound
        if passed > Self.longest { isPassing = false }
        if isPassing { Self.append(part.lowerBound..<end, to: &pieces) }
    }

    /// Begins another access unit at the first slice of a picture (`first_mb_in_slice` is 0, §7.3.3).
    private mutating func noteAccessUnit(_ unit: UnsafeRawBufferPointer) {
        guard !holdsAccessUnits, unit.count > 1 else { return }
        if [1, 2, 5].contains(unit[0] & 0x1F), unit[1] & 0x80 != 0 { limit.beginAccessUnit() }
    }

    private static func append(_ piece: Range<Int>, to pieces: inout [Range<Int>]) {
        guard !piece.isEmpty else { return }
        if let last = pieces.last, last.upperBound == piece.lowerBound {
            pieces[pieces.count - 1] = last.lowerBound..<piece.upperBound
        } else {
            pieces.append(piece)
        }
    }
}

extension Pad {
    /// Removes the NAL units that `H264UnitLimit` does not admit from an H.264 stream.
    ///
    /// - Parameter refused: Called on the streaming thread if the format itself is rejected; nothing passes until the
    ///   next format.
    func limitUnits(refused: @escaping @Sendable () -> Void) {
        let filter = Mutex<H264UnitFilter?>(nil)
        onFlush { filter.withLock { $0?.reset() } }
        self.filter { caps in
            let new = H264UnitFilter(caps)
            filter.withLock { $0 = new }
            if new == nil { refused() }
            return new != nil
        } buffers: { sample in
            let passing = sample.withBytes { bytes in filter.withLock { $0?.passing(bytes) } } ?? []
            guard let passing else { return sample }
            return passing.isEmpty ? nil : sample.replacing(with: passing)
        }
    }
}
