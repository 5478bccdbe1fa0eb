/// The frames of a segment as a fragment of an MP4 file (ISO/IEC 14496-12 §8.8).
package struct MovieFragment: Hashable, Sendable {
    /// The beginning of the file to which the fragment belongs.
    package var header: [UInt8]
    /// Whether the fragment is the first one of a file.
    package var isFirst: Bool
    package var bytes: [UInt8]

    /// A frame; its times are in units of its track.
    struct Sample {
        let bytes: ArraySlice<UInt8>
        var duration: UInt32 = 0
        /// The difference between presentation and decoding.
        var offset: Int32 = 0
        var isKeyframe = true
    }

    /// The consecutive frames of a track.
    struct Run {
        /// The decoding time of the first frame.
        var start: UInt64
        var samples: [Sample]
    }

    /// The flags of a frame that depends on no other one, and of one that does (§8.8.3.1).
    private static let (independent, dependent): (UInt32, UInt32) = (0x200_0000, 0x101_0000)

    /// Creates the fragment from the frames of each track; `number` is its place in the file, from 1.
    init(header: [UInt8], number: UInt32, video: Run?, audio: Run?) {
        let tracks = [(MovieHeader.videoID, video), (MovieHeader.audioID, audio)].compactMap { id, run in
            run.flatMap { $0.samples.isEmpty ? nil : (id, $0) }
        }
        let size = tracks.reduce(0) { $1.1.samples.reduce($0) { $0 + $1.bytes.count } }
        var file = MP4Boxes()
        file.reserve(size + 4096)
        var offsets: [(position: Int, data: Int)] = []
        var data = 0
        file.box("moof") { moof in
            moof.box("mfhd", version: 0) { $0.add(number) }
            for (id, run) in tracks {
                Self.add(run, of: id, to: &moof) { offsets.append(($0, data)) }
                data += run.samples.reduce(0) { $0 + $1.bytes.count }
            }
        }
        let start = file.bytes.count + 8
        for (position, data) in offsets { file.set(UInt32(start + data), at: position) }
        file.box("mdat") { mdat in
            for (_, run) in tracks { for sample in run.samples { mdat.add(sample.bytes) } }
        }
        (self.header, isFirst, bytes) = (header, number == 1, file.bytes)
    }

    /// Adds the description of a track's frames; `offset` receives the position of the field for the place of their
    /// data.
    private static func add(
        _ run: Run,
        of id: UInt32,
        to moof: inout MP4Boxes,
        offset: (Int) -> Void
    ) {
        moof.box("traf") { traf in
            // The offset of the data counts from the beginning of the fragment.
            traf.box("tfhd", version: 0, flags: 0x2_0000) { $0.add(id) }
            traf.box("tfdt", version: 1) { $0.add(run.start) }
            // the offset of the data; duration, size, flags and presentation of each frame
            traf.box("trun", version: 1, flags: 0xF01) { box in
                box.add(UInt32(run.samples.count))
                offset(box.bytes.count)
                box.add(UInt32(0))
                for sample in run.samples {
                    box.add(sample.duration)
                    box.add(UInt32(sample.bytes.count))
                    box.add(sample.isKeyframe ? independent : dependent)
                    box.add(sample.offset)
                }
            }
        }
    }
}
