/// A maker of the index and the fragments of MP4 files, whose fields tests choose.
enum MovieMaker {
    struct Track {
        var handler = "vide"
        var format = "avc1"
        /// The declared number of samples.
        var count: Int
        /// The size of all samples; 0 if each has an entry of its own, of which there are at most 100.
        var size: Int
        /// The declared number of chunks, two of which have entries.
        var chunks = 2
        /// The first chunks of ranges.
        var ranges = [1]
        /// The description of samples, after its first 16 bytes.
        var description = [UInt8](repeating: 0, count: 70)
        /// More boxes of the table.
        var extra: [UInt8] = []
    }

    static let type = box("ftyp", Array("isom".utf8) + [0, 0, 2, 0])

    /// The description of stereo sound in two times 16 bits, in its second version.
    static let newSound =
        numbers([2, 0], size: 2) + numbers([0], size: 4) + numbers([3, 16, 0xFFFE, 0], size: 2)
        + numbers([65_536, 72], size: 4) + numbers([0x40F7_7000_0000_0000], size: 8)
        + numbers([2, 0x7F00_0000, 16, 12, 4, 1], size: 4)

    static func numbers(_ values: [Int], size: Int) -> [UInt8] {
        values.flatMap { value in (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    }

    static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        numbers([content.count + 8], size: 4) + Array(name.utf8) + content
    }

    /// Makes a box of 32-bit fields after version and flags.
    static func full(_ name: String, flags: Int = 0, _ fields: Int...) -> [UInt8] {
        box(name, numbers([flags] + fields, size: 4))
    }

    static func film(_ tracks: [Track] = [Track(count: 100, size: 0)]) -> [UInt8] {
        type + index(tracks) + box("mdat", [UInt8](repeating: 0, count: 64))
    }

    static func index(_ tracks: [Track]) -> [UInt8] {
        box("moov", full("mvhd", 0, 0, 1000, 1000) + tracks.flatMap(track))
    }

    /// Makes a fragmented file.
    static func fragments(samples: Int, flags: Int) -> [UInt8] {
        film([Track(count: 0, size: 0)]) + fragment(samples: samples, flags: flags)
    }

    static func fragment(samples: Int, flags: Int) -> [UInt8] {
        let fields = [UInt8](repeating: 1, count: flags & 0xF00 == 0 ? 0 : 4 * samples)
        let run = box("trun", numbers([flags, samples], size: 4) + fields)
        return box("moof", full("mfhd", 1) + box("traf", full("tfhd", flags: 0x20000, 1) + run))
            + box("mdat", [1, 2, 3])
    }

    private static func track(_ track: Track) -> [UInt8] {
        let entry = box(track.format, numbers([0, 1], size: 4) + track.description)
        let sizes = track.size == 0 ? [Int](repeating: 9, count: min(track.count, 100)) : []
        let table =
            box("stsd", numbers([0, 1], size: 4) + entry) + full("stts", 1, track.count, 1)
            + box("stsc", numbers([0, track.ranges.count] + track.ranges.flatMap { [$0, 4, 1] }, size: 4))
            + box("stsz", numbers([0, track.size, track.count] + sizes, size: 4))
            + full("stco", track.chunks, 40, 50) + track.extra
        let handler = box("hdlr", numbers([0, 0], size: 4) + Array(track.handler.utf8) + [0, 0, 0, 0])
        let media = full("mdhd", 0, 0, 1000, 1000) + handler + box("minf", box("stbl", table))
        return box("trak", full("tkhd", 0, 0, 1, 0, 1000) + box("mdia", media))
    }
}
