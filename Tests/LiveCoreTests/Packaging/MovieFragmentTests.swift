import Basics
import LiveCore
import Testing

@Suite("Recordings of published streams")
struct MovieFragmentTests {
    private static let record: [UInt8] = [1, 0x42, 0xC0, 0x1E, 0xFF, 0xE1, 0, 2, 0x67, 0x42, 1, 0, 1, 0x68]
    private static let otherRecord: [UInt8] = [
        1, 0x42, 0xC0, 0x1E, 0xFF, 0xE1, 0, 2, 0x67, 0x43, 1, 0, 1, 0x68,
    ]
    /// AAC-LC, 48 kHz, stereo.
    private static let audioConfig: [UInt8] = [0x11, 0x90]

    /// A box and its path in the file.
    private struct Box {
        let path: String
        let content: ArraySlice<UInt8>

        /// Returns a number of 32 bits in the content.
        func number(_ position: Int) -> Int {
            content.dropFirst(position).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
    }

    private static let folders: Set = ["moov", "trak", "mdia", "minf", "stbl", "mvex", "moof", "traf"]

    /// Parses the boxes of a file; their lengths must add up.
    private static func boxes(_ bytes: ArraySlice<UInt8>, in folder: String = "") throws -> [Box] {
        var (found, rest): ([Box], ArraySlice<UInt8>) = ([], bytes)
        while !rest.isEmpty {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            try #require(8...rest.count ~= length)
            let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
            let content = rest.dropFirst(8).prefix(length - 8)
            found.append(Box(path: folder + type, content: content))
            if folders.contains(type) { found += try boxes(content, in: "\(folder)\(type)/") }
            rest = rest.dropFirst(length)
        }
        return found
    }

    /// A packager whose segments are recorded.
    private struct Stream {
        var packager = SegmentPackager(duration: .seconds(1), isRecorded: true)
        private(set) var movies: [MovieFragment] = []

        mutating func add(_ sample: SegmentPackager.Sample, at time: UInt32) throws {
            let segment = try packager.add(sample, at: time, now: Timestamp(milliseconds: Int64(time)))
            if let movie = segment?.movie { movies.append(movie) }
        }

        mutating func frames(_ times: Range<UInt32>, offset: Int = 0) throws {
            for time in stride(from: times.lowerBound, to: times.upperBound, by: 40) {
                let units: [UInt8] = [0, 0, 0, 2, 0x65, UInt8(time / 40 % 256)]
                try add(.video(isKeyframe: time % 1000 == 0, offset: offset, units[...]), at: time)
            }
        }
    }

    @Test("A header describes each track, and fragments have the frames as they were sent")
    func frames() throws {
        var stream = Stream()
        try stream.add(.videoConfiguration(Self.record[...]), at: 0)
        try stream.add(.audioConfiguration(Self.audioConfig[...]), at: 0)
        try stream.frames(0..<80)
        for time: UInt32 in [0, 21, 43] { try stream.add(.audio([7, 7, 7]), at: time) }
        try stream.frames(80..<1040, offset: 80)
        let movie = try #require(stream.movies.first)
        let header = try Self.boxes(movie.header[...])
        #expect(header.prefix(2).map(\.path) == ["ftyp", "moov"])
        #expect(header.filter { $0.path == "moov/mvex/trex" }.map { $0.number(4) } == [1, 2])
        let entries = header.filter { $0.path == "moov/trak/mdia/minf/stbl/stsd" }
        #expect(entries.count == 2)
        #expect(entries[0].content.contains(Self.record) && entries[1].content.contains(Self.audioConfig))
        let boxes = try Self.boxes(movie.bytes[...])
        #expect(boxes.filter { !$0.path.contains("/") }.map(\.path) == ["moof", "mdat"])
        let runs = boxes.filter { $0.path == "moof/traf/trun" }
        // The fields of a frame are its duration, size, flags and presentation.
        #expect(runs.map { $0.number(4) } == [25, 3])
        #expect(runs[0].number(12) == 40 * 90 && runs[0].number(16) == 6)
        #expect(runs[0].number(20) == 0x200_0000 && runs[0].number(36) == 0x101_0000)
        #expect(runs[0].number(24) == 0 && runs[0].number(12 + 16 * 24 + 12) == 80 * 90)
        #expect(runs[1].number(12) == 1024 && runs[1].number(16) == 3)
        for (run, first) in zip(runs, [[0, 0, 0, 2, 0x65, 0], [7, 7, 7]] as [[UInt8]]) {
            #expect(movie.bytes.dropFirst(run.number(8)).starts(with: first))
        }
    }

    @Test("Fragments follow one another in time, although the times of audio are rounded")
    func continuity() throws {
        var stream = Stream()
        try stream.add(.videoConfiguration(Self.record[...]), at: 0)
        try stream.add(.audioConfiguration(Self.audioConfig[...]), at: 0)
        var audio: UInt32 = 0
        for time: UInt32 in stride(from: 0, through: 4000, by: 40) {
            try stream.frames(time..<time + 40)
            while audio * 1024 / 48 < time + 40 {
                try stream.add(.audio([7]), at: audio * 1024 / 48)
                audio += 1
            }
        }
        #expect(stream.movies.count == 4)
        var ends: [Int: Int] = [:]
        for movie in stream.movies {
            #expect(movie.header == stream.movies[0].header)
            let boxes = try Self.boxes(movie.bytes[...])
            let starts = boxes.filter { $0.path == "moof/traf/tfdt" }.map { $0.number(8) }
            let runs = boxes.filter { $0.path == "moof/traf/trun" }
            for (track, (start, run)) in zip(starts, runs).enumerated() {
                if let end = ends[track] { #expect(start == end) }
                let durations = (0..<run.number(4)).map { run.number(12 + 16 * $0) }
                ends[track] = start + durations.reduce(0, +)
            }
        }
    }

    /// Returns the start and the end of the audio in each fragment, in samples.
    private static func audioSpans(_ movies: [MovieFragment]) throws -> [(start: Int, end: Int)] {
        try movies.map { movie in
            let boxes = try boxes(movie.bytes[...])
            let start = try #require(boxes.last { $0.path == "moof/traf/tfdt" }).number(8)
            let run = try #require(boxes.last { $0.path == "moof/traf/trun" })
            return (start, start + (0..<run.number(4)).reduce(0) { $0 + run.number(12 + 16 * $1) })
        }
    }

    @Test(
        "Audio keeps its time after a gap, a step back, and with a clock that runs fast",
        arguments: ["gap", "step", "fast"]
    )
    func audioTimes(kind: String) throws {
        var stream = Stream()
        try stream.add(.videoConfiguration(Self.record[...]), at: 0)
        try stream.add(.audioConfiguration(Self.audioConfig[...]), at: 0)
        var audio: Double = 0
        for time: UInt32 in stride(from: 0, through: 6000, by: 40) {
            try stream.frames(time..<time + 40)
            while audio < Double(time + 40) {
                switch kind {
                case "gap" where 2300..<2900 ~= audio: break
                case "step" where audio < 2500: try stream.add(.audio([7]), at: UInt32(audio + 800))
                default: try stream.add(.audio([7]), at: UInt32(audio))
                }
                audio += kind == "fast" ? 20 : 1024.0 / 48
            }
        }
        let last = try #require(try Self.audioSpans(stream.movies).last)
        // The file begins 100 ms before the first frame, and the sixth segment ends after six seconds.
        #expect(abs(last.end - 6100 * 48) <= 80 * 48, "\(last)")
    }

    @Test("Another configuration begins another file")
    func configurations() throws {
        var stream = Stream()
        try stream.add(.videoConfiguration(Self.record[...]), at: 0)
        try stream.frames(0..<2040)
        try stream.add(.videoConfiguration(Self.otherRecord[...]), at: 2040)
        try stream.frames(3000..<5040)
        let headers = stream.movies.map(\.header)
        #expect(headers.count == 5)
        #expect(Set(headers[..<3]).count == 1 && Set(headers[3...]).count == 1 && headers[2] != headers[3])
        let first = try Self.boxes(stream.movies[3].bytes[...]).first { $0.path == "moof/mfhd" }
        #expect(first?.number(4) == 1)
    }

    @Test("The segments of a stream that is not recorded have no fragments")
    func unrecorded() throws {
        var packager = SegmentPackager(duration: .seconds(1))
        let now = Timestamp(milliseconds: 0)
        _ = try packager.add(.videoConfiguration(Self.record[...]), at: 0, now: now)
        let units: [UInt8] = [0, 0, 0, 2, 0x65, 7]
        _ = try packager.add(.video(isKeyframe: true, offset: 0, units[...]), at: 0, now: now)
        let segment = try packager.add(.video(isKeyframe: true, offset: 0, units[...]), at: 1000, now: now)
        #expect(segment != nil && segment?.movie == nil)
    }
}
