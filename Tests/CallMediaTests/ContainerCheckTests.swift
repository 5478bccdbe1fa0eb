import Basics
import Foundation
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("The check of containers", .timeLimit(.minutes(4)))
struct ContainerCheckTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns the reason against a file with these bytes.
    private func reason(_ bytes: [UInt8], name: String = "film") throws -> String? {
        try reason(Data(bytes), name: name)
    }

    private func reason(_ bytes: Data, name: String = "film") throws -> String? {
        let path = folder.path(name)
        try bytes.write(to: URL(fileURLWithPath: path))
        return ContainerCheck.reason(against: path)
    }

    // MARK: Ordinary files

    @Test("Usual MP4 and Matroska files pass the container check")
    func ordinary() throws {
        #expect(ContainerCheck.reason(against: Project.testVideo) == nil)
        #expect(try reason(MovieMaker.film()) == nil)
        #expect(try reason(MovieMaker.fragments(samples: 1000, flags: 0x200)) == nil)
        #expect(try reason(MatroskaMaker.film()) == nil)
        #expect(
            try reason(MatroskaMaker.film(encoding: MatroskaMaker.encoding(scope: 1, algorithm: 3))) == nil
        )
        #expect(try reason(MatroskaMaker.film(encoding: MatroskaMaker.encoding(scope: nil))) == nil)
    }

    @Test(
        "Files of other formats, empty files and missing ones pass",
        arguments: ["", "RIFF", "OggS", "ID3", "\0\0"]
    )
    func others(_ text: String) throws {
        #expect(try reason(Array(text.utf8)) == nil)
        #expect(ContainerCheck.reason(against: folder.path("none")) == nil)
        #expect(ContainerCheck.reason(against: folder.path) == nil)
    }

    @Test(
        "Hours of uncompressed audio pass, because its samples have no table entries of their own",
        arguments: ["sowt", "twos", "in24", "fl32", "alaw", "ulaw", "ima4"]
    )
    func sound(_ format: String) throws {
        let track = MovieMaker.Track(handler: "soun", format: format, count: 500_000_000, size: 4)
        #expect(try reason(MovieMaker.film([track])) == nil)
    }

    @Test("Hours of uncompressed audio with a version 2 sound description pass too")
    func newSound() throws {
        var track = MovieMaker.Track(handler: "soun", format: "lpcm", count: 500_000_000, size: 4)
        track.description = MovieMaker.newSound
        #expect(try reason(MovieMaker.film([track])) == nil)
    }

    // MARK: MP4

    private static let endless = "it declares too many samples"

    @Test("The number of samples of constant size is limited, except for uncompressed audio")
    func constantSizes() throws {
        let video = MovieMaker.Track(count: 5_200_000, size: 1)
        #expect(try reason(MovieMaker.film([video])) == Self.endless)
        let few = MovieMaker.Track(count: 900_000, size: 1)
        #expect(try reason(MovieMaker.film([few])) == nil)
        #expect(try reason(MovieMaker.film(Array(repeating: few, count: 5))) == Self.endless)
        // GStreamer reads this sound sample by sample.
        let sound = MovieMaker.Track(handler: "soun", format: "mp4a", count: 5_200_000, size: 1)
        #expect(try reason(MovieMaker.film([sound])) == Self.endless)
        let other = MovieMaker.Track(handler: "text", format: "sowt", count: 5_200_000, size: 1)
        #expect(try reason(MovieMaker.film([other])) == Self.endless)
    }

    @Test("Samples and chunks without table entries count toward the limit")
    func shortTables() throws {
        #expect(try reason(MovieMaker.film([MovieMaker.Track(count: 13_000_000, size: 0)])) == Self.endless)
        let sound = MovieMaker.Track(handler: "soun", format: "sowt", count: 8, size: 4, chunks: 5_000_000)
        #expect(try reason(MovieMaker.film([sound])) == Self.endless)
    }

    private func film(edits: [[UInt8]]) throws -> String? {
        let tracks = edits.map { edits in
            var track = MovieMaker.Track(count: 100, size: 0)
            track.extra = MovieMaker.box("edts", edits)
            return track
        }
        return try reason(MovieMaker.film(tracks))
    }

    /// Makes a list with one edit, whose duration is in milliseconds.
    private func edit(_ duration: Int, from begin: Int = -1, isLong: Bool = false) -> [UInt8] {
        guard isLong else { return MovieMaker.full("elst", 1, duration, begin, 0x10000) }
        let times = MovieMaker.numbers([duration, begin], size: 8)
        return MovieMaker.box(
            "elst",
            MovieMaker.numbers([1 << 24, 1], size: 4) + times + MovieMaker.numbers([0x10000], size: 4)
        )
    }

    @Test("Edit lists may delay the tracks for a day in all", arguments: [false, true])
    func delays(isLong: Bool) throws {
        let late = "its tracks begin after more than a day"
        let day = 86_400_000
        #expect(try film(edits: [edit(day, isLong: isLong)]) == nil)
        #expect(try film(edits: [edit(day + 1000, isLong: isLong)]) == late)
        #expect(try film(edits: [edit(day, isLong: isLong), edit(day, isLong: isLong)]) == late)
        #expect(try film(edits: [edit(4_000_000_000, from: 0, isLong: isLong)]) == nil)
        let longest = edit(.max, isLong: true)
        #expect(try film(edits: [longest, longest, longest]) == late)
    }

    @Test("Edit lists have a limited number of edits, and may be cut short")
    func edits() throws {
        let edits = MovieMaker.numbers(Array(repeating: 1, count: 3 * 10_001), size: 4)
        let declared = MovieMaker.numbers([0, 10_001], size: 4)
        #expect(try film(edits: [MovieMaker.box("elst", declared + edits)]) == "its edit lists are too long")
        #expect(
            try film(edits: [MovieMaker.box("elst", declared + [1, 2, 3]), MovieMaker.box("elst", [])]) == nil
        )
    }

    @Test(
        "Boxes that GStreamer loads as a whole have a limited size",
        arguments: ["moov", "moof", "uuid", "sidx"]
    )
    func longBoxes(_ name: String) throws {
        let path = folder.path("film")
        for (size, reason) in [(200_000_000, nil), (200_000_001, "its index is too long")] as [(Int, String?)]
        {
            let start = MovieMaker.type + MovieMaker.numbers([size], size: 4) + Array(name.utf8)
            try Data(start).write(to: URL(fileURLWithPath: path))
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.truncate(atOffset: UInt64(MovieMaker.type.count + size))
            try file.close()
            #expect(ContainerCheck.reason(against: path) == reason)
        }
    }

    @Test("A track whose chunks are not in ascending order is refused")
    func order() throws {
        for ranges in [[2], [1, 5_000_000], [1, 1]] {
            var sound = MovieMaker.Track(handler: "soun", format: "sowt", count: 8, size: 4)
            sound.ranges = ranges
            #expect(
                try reason(MovieMaker.film([sound])) == "the chunks of a track are not in ascending order"
            )
        }
    }

    @Test("A movie with more than 200 tracks, or a track with two tables of the same kind, is refused")
    func tracks() throws {
        let track = MovieMaker.Track(count: 10, size: 1)
        #expect(try reason(MovieMaker.film(Array(repeating: track, count: 200))) == nil)
        let many = MovieMaker.film(Array(repeating: track, count: 201))
        #expect(try reason(many) == "it has more than 200 tracks")
        var double = track
        double.extra = MovieMaker.full("stsz", 1, 5_200_000)
        #expect(try reason(MovieMaker.film([double])) == "a track has two boxes “stsz”")
    }

    @Test("A compressed index is refused")
    func compressed() throws {
        let index = MovieMaker.box("moov", MovieMaker.box("cmov", MovieMaker.box("dcom", Array("zlib".utf8))))
        #expect(try reason(MovieMaker.type + index) == "its index is compressed")
    }

    @Test("The number, depth and length of boxes in the index are limited")
    func boxes() throws {
        let many = (0..<100_001).flatMap { _ in MovieMaker.box("free", []) }
        #expect(try reason(MovieMaker.box("moov", many)) == "its index has more than 100000 boxes")
        let deep = (0..<20).reduce(into: [UInt8]()) { content, _ in content = MovieMaker.box("udta", content)
        }
        #expect(try reason(MovieMaker.box("moov", deep)) == "its boxes are nested more than 16 deep")
        for name in ["stsd", "mp4a"] {
            let description = MovieMaker.box(name, [UInt8](repeating: 0, count: 200_000))
            let index = MovieMaker.box("moov", MovieMaker.box("trak", description))
            #expect(try reason(index) == "the sample descriptions of its tracks are too long")
        }
    }

    @Test("The number of fragment samples that have no fields of their own is limited")
    func fragments() throws {
        let large = MovieMaker.fragments(samples: 5_200_000, flags: 0)
        #expect(try reason(large) == "a fragment declares 5200000 samples without describing them")
        let fragment = MovieMaker.fragment(samples: 150_000, flags: 0)
        #expect(try reason(MovieMaker.film() + (0..<26).flatMap { _ in fragment }) == nil)
        #expect(try reason(MovieMaker.film() + (0..<27).flatMap { _ in fragment }) == Self.endless)
    }

    @Test(
        "A recording cut short after 20 minutes, with one fragment per sample, passes"
    )
    func recording() throws {
        let fragments = Data(
            Array(repeatElement(MovieMaker.fragment(samples: 1, flags: 0x200), count: 1000).joined())
        )
        var bytes = Data(MovieMaker.film())
        for _ in 0..<100 { bytes += fragments }
        #expect(try reason(bytes) == nil)
    }

    @Test("An index is checked even after many boxes, after a box of unusual size or after ID3 tags")
    func hidden() throws {
        let index = MovieMaker.film([MovieMaker.Track(count: 5_200_000, size: 1)])
        let boxes = (0..<1000).flatMap { _ in MovieMaker.box("free", []) }
        #expect(try reason(boxes + index) == Self.endless)
        let many = (0..<200_001).flatMap { _ in MovieMaker.box("free", []) }
        #expect(try reason(many + index) == Self.endless)
        // GStreamer advances by the declared size, however small it is.
        #expect(try reason([0, 0, 0, 2] + index) == nil)
        #expect(try reason([0, 0, 0, 9] + Array("free".utf8) + [0] + index) == Self.endless)
        // A box of the size 0 lasts until the end of the file.
        var last = MovieMaker.index([MovieMaker.Track(count: 5_200_000, size: 1)])
        last.replaceSubrange(0..<4, with: [0, 0, 0, 0])
        #expect(try reason(MovieMaker.type + last) == Self.endless)
        // GStreamer strips tags before it looks at what follows.
        let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 20] + [UInt8](repeating: 0, count: 20)
        #expect(try reason(tag + tag + index) == Self.endless)
        #expect(try reason((0..<20).flatMap { _ in tag } + index) == "it begins with more than 15 tags")
    }

    // MARK: Matroska

    private static let inflated = "the setup data of a track is compressed"

    @Test("Compressed Matroska setup data is refused", arguments: [2, 3, 4, 6, 0x100, 0x7FFF_FFFF_FFFF_FFFF])
    func scopes(_ scope: Int) throws {
        for width in [nil, 8] {
            let encoding = MatroskaMaker.encoding(scope: scope, width: width)
            #expect(try reason(MatroskaMaker.film(encoding: encoding)) == Self.inflated)
        }
    }

    @Test("Matroska tracks are found after clusters, after damaged data and through a SeekHead")
    func places() throws {
        let bad = MatroskaMaker.tracks(encoding: MatroskaMaker.encoding(scope: 2))
        let cluster = MatroskaMaker.cluster()
        let live = MatroskaMaker.cluster(isLive: true)
        for content in [
            cluster + bad, live + live + bad, [UInt8](repeating: 0, count: 70_000) + cluster + bad,
            MatroskaMaker.link(to: 0x1654_AE6B, skipping: 9) + MatroskaMaker.element(0xEC, bad),
        ] {
            #expect(try reason(MatroskaMaker.file(content)) == Self.inflated)
            #expect(try reason(MatroskaMaker.file(content, isLive: true)) == Self.inflated)
        }
    }

    @Test("A SeekHead that refers to itself does not cause a loop")
    func circle() throws {
        let link = MatroskaMaker.link(to: 0x114D_9B74, at: 0)
        #expect(try reason(MatroskaMaker.file(link)) == nil)
    }

    @Test("A Matroska file may have at most 200 tracks, and tracks named in a SeekHead count once")
    func matroskaTracks() throws {
        let tracks = MatroskaMaker.tracks(200, encoding: [])
        let indexed = MatroskaMaker.link(to: 0x1654_AE6B) + tracks + MatroskaMaker.cluster()
        #expect(try reason(MatroskaMaker.file(indexed)) == nil)
        #expect(try reason(MatroskaMaker.film(tracks: 200)) == nil)
        #expect(try reason(MatroskaMaker.film(tracks: 201)) == "it has more than 200 tracks")
    }

    @Test("A truncated file, or one padded with zeros, passes")
    func cut() throws {
        for whole in [MovieMaker.film(), MatroskaMaker.film()] {
            for length in stride(from: 0, to: whole.count, by: 7) {
                #expect(try reason(Array(whole.prefix(length))) == nil)
            }
        }
        let zeros = [UInt8](repeating: 0, count: 1_000_000)
        #expect(try reason(MatroskaMaker.film() + zeros) == nil)
        #expect(try reason(MovieMaker.film() + zeros) == nil)
    }

    // MARK: Mutations

    private static let structures: [[UInt8]] = [
        MovieMaker.film(), MovieMaker.film([MovieMaker.Track(count: 5_200_000, size: 1)]),
        MovieMaker.film([MovieMaker.Track(handler: "soun", format: "sowt", count: 8, size: 4)]),
        MovieMaker.fragments(samples: 1000, flags: 0x200), MovieMaker.fragments(samples: 5_200_000, flags: 0),
        MatroskaMaker.film(encoding: MatroskaMaker.encoding(scope: 2)),
        MatroskaMaker.file(
            MatroskaMaker.link(to: 0x1654_AE6B) + MatroskaMaker.tracks(encoding: [])
                + MatroskaMaker.cluster(isLive: true),
            isLive: true
        ),
    ]

    @Test("Damaged files never trap", arguments: structures.indices)
    func mutations(_ index: Int) throws {
        var random = SeededGenerator(seed: UInt64(index) + 1)
        let whole = Self.structures[index]
        for _ in 0..<300 {
            var bytes = whole
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[place] = [0, 1, 0x7F, 0xFF].randomElement(using: &random) ?? 0
                case 2: bytes.remove(at: place)
                default:
                    bytes.replaceSubrange(
                        place..<min(place + 8, bytes.count),
                        with: [0xFF, 0xFF, 0xFF, 0xFF]
                    )
                }
            }
            _ = try reason(bytes)
        }
    }
}
