internal import Glibc

/// The edit lists of an MP4 file, which delay the start of tracks (ISO/IEC 14496-12 §8.6.5).
///
/// In a file that was cut short, they cover only the first fragment. If a track has more than one edit,
/// qtdemux 1.22 does not play the other fragments.
package struct EditLists: Hashable, Sendable {
    /// The positions of the type fields of the `edts` boxes, in bytes from the start of the file.
    package var places: [UInt64] = []
    /// The start delays of tracks by track number, in nanoseconds.
    package var delays: [Int: UInt64] = [:]

    private static let maximumBoxes = 64
    private static let largestIndex = 16_000_000

    /// Reads the edit lists of an open file; the result is empty if its `moov` box is missing or malformed.
    init(ofFile descriptor: Int32) {
        let (index, place) = Self.index(in: descriptor)
        self.init(index: index, at: place)
    }

    private static func index(in descriptor: Int32) -> (bytes: [UInt8], place: UInt64) {
        var place: UInt64 = 0
        for _ in 0..<maximumBoxes {
            guard let box = MP4Box(bytes(16, at: place, in: descriptor)), box.size >= box.head else { break }
            if box.name == "moov" {
                guard box.size <= largestIndex else { break }
                return (bytes(Int(box.size), at: place, in: descriptor), place)
            }
            let (next, isBeyond) = place.addingReportingOverflow(box.size)
            guard !isBeyond else { break }
            place = next
        }
        return ([], 0)
    }

    /// Parses the index of a file, the `moov` box.
    ///
    /// - Parameters:
    ///   - index: the `moov` box, including its header.
    ///   - place: the position of the box in the file, in bytes.
    package init(index: [UInt8], at place: UInt64) {
        guard let movie = MP4Box(index[...]) else { return }
        let boxes = movie.content(in: index[...]).boxes
        // Version and flags are followed by two times, whose size doubles in version 1.
        let scale = boxes["mvhd"].first.flatMap { $0.number(at: $0.first == 1 ? 20 : 12, size: 4) } ?? 0
        for track in boxes["trak"] {
            let parts = track.boxes
            guard let header = parts["tkhd"].first, let edits = parts["edts"].first,
                let number = header.number(at: header.first == 1 ? 20 : 12, size: 4)
            else { continue }
            places.append(place + UInt64(edits.startIndex - index.startIndex) - 4)
            guard let list = edits.boxes["elst"].first, scale > 0 else { continue }
            let size = list.first == 1 ? 8 : 4
            guard let edit = list.number(at: 8, size: size),
                let begin = list.number(at: 8 + size, size: size),
                begin == UInt64.max >> (64 - 8 * UInt64(size))
            else { continue }
            let (whole, rest) = edit.quotientAndRemainder(dividingBy: scale)
            // A delay of a day or more is implausible.
            guard whole < 86_400 else { continue }
            delays[Int(number)] = whole * 1_000_000_000 + rest * 1_000_000_000 / scale
        }
    }

    private static func bytes(_ count: Int, at place: UInt64, in descriptor: Int32) -> [UInt8] {
        guard let offset = off_t(exactly: place) else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(descriptor, &bytes, count, offset)
        return Array(bytes.prefix(max(0, read)))
    }
}
