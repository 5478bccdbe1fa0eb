import Basics
import LiveCore
import Testing

@Suite("Packaging of published streams")
struct SegmentPackagerTests {
    private static let record: [UInt8] = [1, 0x42, 0xC0, 0x1E, 0xFF, 0xE1, 0, 2, 0x67, 0x42, 1, 0, 1, 0x68]
    private static let otherRecord: [UInt8] = [
        1, 0x42, 0xC0, 0x1E, 0xFF, 0xE1, 0, 2, 0x67, 0x43, 1, 0, 1, 0x68,
    ]
    /// AAC-LC, 48 kHz, stereo.
    private static let audioConfig: [UInt8] = [0x11, 0x90]
    private static let start = Timestamp(milliseconds: 1_700_000_000_000)
    private static let video: UInt16 = 0x100
    private static let audio: UInt16 = 0x101

    /// A stream that is published with a regular keyframe distance.
    private struct Stream {
        var packager = SegmentPackager(duration: .seconds(1))
        private(set) var segments: [LiveSegment] = []

        mutating func add(
            _ sample: SegmentPackager.Sample,
            at timestamp: UInt32,
            arrivingAt milliseconds: Int64? = nil
        ) throws {
            let now = Timestamp(milliseconds: start.milliseconds + (milliseconds ?? Int64(timestamp)))
            if let segment = try packager.add(sample, at: timestamp, now: now) { segments.append(segment) }
        }

        mutating func configure(_ record: [UInt8] = SegmentPackagerTests.record) throws {
            try add(.videoConfiguration(record[...]), at: 0)
        }

        /// Ends the stream; returns its last segment.
        mutating func finish() throws -> LiveSegment {
            let segment = packager.finish()
            return try #require(segment)
        }

        mutating func configureAudio() throws { try add(.audioConfiguration(audioConfig[...]), at: 0) }

        mutating func frame(_ timestamp: UInt32, isKeyframe: Bool, offset: Int = 0, length: Int = 300) throws
        {
            try add(.video(isKeyframe: isKeyframe, offset: offset, frameUnits(length)), at: timestamp)
        }

        /// Adds 25 frames per second with a keyframe at each multiple of `distance` milliseconds.
        mutating func frames(_ times: Range<UInt32>, distance: UInt32 = 1000) throws {
            for time in stride(from: times.lowerBound, to: times.upperBound, by: 40) {
                try frame(time, isKeyframe: time % distance == 0)
            }
        }
    }

    private static func frameUnits(_ length: Int, type: UInt8 = 0x65) -> ArraySlice<UInt8> {
        [0, 0, UInt8(length >> 8), UInt8(length & 0xFF), type] + [UInt8](repeating: 7, count: length - 1)
    }

    @Test(
        "A configuration that is much longer than those of encoders is refused",
        arguments: [(33, 2), (1, 1025), (16, 1000)]
    )
    func longConfiguration(count: Int, length: Int) {
        let set: [UInt8] =
            [UInt8(length >> 8), UInt8(length & 0xFF), 0x68] + [UInt8](repeating: 7, count: length - 1)
        let sets = [UInt8](repeatElement(set, count: count).joined())
        let record: [UInt8] = [1, 0x42, 0xC0, 0x1E, 0xFF, 0xE1, 0, 2, 0x67, 0x42, UInt8(count)] + sets
        var stream = Stream()
        #expect(throws: LiveFailure.self) { try stream.configure(record) }
    }

    @Test("Segments begin at keyframes and last as long as configured")
    func segments() throws {
        var stream = Stream()
        try stream.configure()
        try stream.frames(0..<3200, distance: 1000)
        #expect(stream.segments.map(\.duration) == [.seconds(1), .seconds(1), .seconds(1)])
        #expect(stream.segments.map { $0.date - Self.start } == [.zero, .seconds(1), .seconds(2)])
        #expect(stream.segments.allSatisfy { !$0.isDiscontinuous })
        let last = try stream.finish()
        #expect(last.duration == .milliseconds(161))
        let another = stream.packager.finish()
        #expect(another == nil)
    }

    @Test("Segments are as long as the distance of keyframes if that is longer, and combine short distances")
    func distances() throws {
        var long = Stream()
        try long.configure()
        try long.frames(0..<8400, distance: 4000)
        #expect(long.segments.map(\.duration) == [.seconds(4), .seconds(4)])
        var short = Stream()
        try short.configure()
        try short.frames(0..<2100, distance: 200)
        #expect(short.segments.map(\.duration) == [.seconds(1), .seconds(1)])
    }

    @Test("A segment is a transport stream whose tables list the tracks")
    func transportStream() throws {
        var stream = Stream()
        try stream.configure()
        try stream.configureAudio()
        for time in stride(from: UInt32(0), to: 2040, by: 40) {
            try stream.frame(time, isKeyframe: time % 1000 == 0, offset: 80)
            try stream.add(.audio([1, 2, 3]), at: time + 5)
        }
        let reader = try TransportReader(stream.segments.map(\.bytes))
        #expect(reader.tables[0]?.starts(with: [0, 0xB0, 13, 0, 1, 0xC1, 0, 0, 0, 1, 0xF0, 0]) == true)
        let map: [UInt8] = [
            2, 0xB0, 23, 0, 1, 0xC1, 0, 0, 0xE1, 0, 0xF0, 0, 0x1B, 0xE1, 0, 0xF0, 0, 0x0F, 0xE1, 1, 0xF0, 0,
        ]
        #expect(reader.tables[0x1000]?.starts(with: map) == true)
        let frames = reader.frames(Self.video)
        #expect(frames.count == 50)
        let times = (0..<50).map { Int64(1000 + $0 * 40) * 90 }
        #expect(frames.map(\.decoding) == times)
        #expect(frames.allSatisfy { $0.presentation == $0.decoding + 7200 })
        #expect(frames.allSatisfy { $0.clock == $0.decoding - 27_000 })
        #expect(frames.filter(\.isRandomAccess).map(\.decoding) == [90_000, 180_000])
        let sounds = reader.frames(Self.audio)
        #expect(sounds.map { $0.payload.count } == Array(repeating: 50, count: 10))
        #expect(sounds.first?.presentation == Int64(90_450))
        #expect(
            sounds.first?.payload.starts(with: [0xFF, 0xF1, 0x4C, 0x80, 1, 0x5F, 0xFC, 1, 2, 3, 0xFF]) == true
        )
    }

    @Test("Frames of every length fill their packets exactly")
    func stuffing() throws {
        var stream = Stream()
        try stream.configure()
        for length in 1...400 {
            try stream.frame(UInt32(length), isKeyframe: length == 1, length: length)
        }
        let segment = try stream.finish()
        let frames = try TransportReader([segment.bytes]).frames(Self.video)
        // Before the unit come a delimiter of six bytes and a start code, and before the keyframe the parameter sets.
        #expect(frames.dropFirst().map(\.payload.count) == (2...400).map { $0 + 10 })
    }

    @Test("A frame is a byte stream with a delimiter, and a keyframe has the parameter sets")
    func byteStream() throws {
        var stream = Stream()
        try stream.configure()
        let filler = Self.frameUnits(2, type: 0x0C)
        let delimiter = Self.frameUnits(2, type: 0x09)
        let end = Self.frameUnits(1, type: 0x0A)
        for (time, isKeyframe) in [(0, true), (40, false)] {
            let units = delimiter + filler + Self.frameUnits(2) + [0, 0, 0, 0] + end
            try stream.add(.video(isKeyframe: isKeyframe, offset: 0, units), at: UInt32(time))
        }
        let segment = try stream.finish()
        let frames = try TransportReader([segment.bytes]).frames(Self.video)
        let sets: [UInt8] = [0, 0, 0, 1, 0x67, 0x42, 0, 0, 0, 1, 0x68]
        let unit: [UInt8] = [0, 0, 0, 1, 0x65, 7]
        let start: [UInt8] = [0, 0, 0, 1, 9, 0xF0]
        #expect(frames.map(\.payload) == [start + sets + unit, start + unit])
    }

    @Test("Frames before the first keyframe are dropped, and so is their audio")
    func beginning() throws {
        var stream = Stream()
        try stream.configure()
        try stream.configureAudio()
        try stream.frame(0, isKeyframe: false)
        try stream.add(.audio([1]), at: 10)
        try stream.frame(40, isKeyframe: true)
        let segment = try stream.finish()
        #expect(try TransportReader([segment.bytes]).frames.count == 1)
    }

    @Test("Audio without video is packaged after a second")
    func audioOnly() throws {
        var stream = Stream()
        try stream.configureAudio()
        for time in stride(from: UInt32(0), through: 4100, by: 20) { try stream.add(.audio([1]), at: time) }
        #expect(stream.segments.map(\.duration) == [.seconds(1), .seconds(1), .seconds(1)])
        let reader = try TransportReader(stream.segments.map(\.bytes))
        #expect(reader.frames.allSatisfy { $0.pid == Self.audio && $0.clock != nil && $0.isRandomAccess })
    }

    @Test("New parameters end the segment, and the next one is discontinuous")
    func parameters() throws {
        var stream = Stream()
        try stream.configure()
        try stream.frames(0..<1200)
        try stream.configure()
        #expect(stream.segments.count == 1)
        try stream.configure(Self.otherRecord)
        #expect(stream.segments.map(\.duration) == [.seconds(1), .milliseconds(161)])
        try stream.frames(1200..<3200)
        #expect(stream.segments.map(\.isDiscontinuous) == [false, false, true])
        let frames = try TransportReader(stream.segments.map(\.bytes)).frames(Self.video)
        #expect(frames.last { $0.isRandomAccess }?.payload[6..<12] == [0, 0, 0, 1, 0x67, 0x43])
    }

    @Test("Audio that begins later changes the tables at the next keyframe")
    func lateAudio() throws {
        var stream = Stream()
        try stream.configure()
        try stream.frames(0..<200)
        try stream.configureAudio()
        try stream.add(.audio([1]), at: 200)
        try stream.frames(200..<1040)
        try stream.add(.audio([1]), at: 1010)
        try stream.frames(1040..<2040)
        #expect(stream.segments.map(\.isDiscontinuous) == [false, true])
        #expect(
            try TransportReader(stream.segments.map(\.bytes)).frames(Self.audio).map(\.presentation) == [
                2010 * 90
            ]
        )
    }

    @Test("Timestamps may wrap")
    func wrapping() throws {
        var stream = Stream()
        try stream.configure()
        for index in 0..<55 as Range<Int64> {
            let timestamp = UInt32(truncatingIfNeeded: 0xFFFF_FE00 + index * 40)
            try stream.add(
                .video(isKeyframe: index % 25 == 0, offset: 0, Self.frameUnits(10)),
                at: timestamp,
                arrivingAt: index * 40
            )
        }
        #expect(stream.segments.map(\.duration) == [.seconds(1), .seconds(1)])
        #expect(stream.segments.allSatisfy { !$0.isDiscontinuous })
    }

    @Test("A jump of the timestamps ends the segment", arguments: [0, 100_000] as [UInt32])
    func jump(to target: UInt32) throws {
        var stream = Stream()
        try stream.configure()
        try stream.frames(20_000..<22_200)
        try stream.frames(target..<target + 1200)
        #expect(stream.segments.map(\.isDiscontinuous) == [false, false, false, true])
        let times = try TransportReader(stream.segments.map(\.bytes)).frames(Self.video).map(\.decoding)
        #expect(times == times.sorted())
    }

    @Test("A jump of both tracks is one discontinuity")
    func jumpOfBoth() throws {
        var stream = Stream()
        try stream.configure()
        try stream.configureAudio()
        for base in [50_000, 7_000_000] as [UInt32] {
            for time in stride(from: base, to: base + 2400, by: 40) {
                try stream.frame(time, isKeyframe: time % 1000 == 0)
                try stream.add(.audio([1]), at: time + 10)
            }
        }
        #expect(stream.segments.map(\.isDiscontinuous) == [false, false, false, true, false])
        let reader = try TransportReader(stream.segments.map(\.bytes))
        let sounds = reader.frames(Self.audio).map(\.presentation)
        #expect(sounds == sounds.sorted())
        // Audio and video are as far apart as before.
        let (video, audio) = (reader.frames(Self.video).last, reader.frames(Self.audio).last)
        #expect(abs((video?.presentation ?? 0) - (audio?.presentation ?? 0)) < 20_000)
    }

    @Test("A track may be seconds ahead of the other", arguments: [1500, 5000] as [UInt32])
    func distance(offset: UInt32) throws {
        var stream = Stream()
        try stream.configure()
        try stream.configureAudio()
        for time in stride(from: 0 as UInt32, to: 3200, by: 40) {
            try stream.frame(time, isKeyframe: time % 1000 == 0)
            try stream.add(.audio([1]), at: time + offset)
        }
        #expect(stream.segments.map(\.isDiscontinuous) == [false, false, false])
    }

    @Test("Parameter sets may be in the stream instead of the configuration")
    func parameterSetsInStream() throws {
        var stream = Stream()
        try stream.configure([1, 0x42, 0xC0, 0x1F, 0xFF, 0xE0, 0])
        let units = Self.frameUnits(2, type: 0x67) + Self.frameUnits(2, type: 0x68) + Self.frameUnits(2)
        try stream.add(.video(isKeyframe: true, offset: 0, units), at: 0)
        let segment = try stream.finish()
        let frame = try #require(try TransportReader([segment.bytes]).frames.first)
        let sets: [UInt8] = [0, 0, 0, 1, 0x67, 7, 0, 0, 0, 1, 0x68, 7]
        #expect(frame.payload == [0, 0, 0, 1, 9, 0xF0] + sets + [0, 0, 0, 1, 0x65, 7])
    }

    @Test("Frames without content are ignored")
    func emptyFrames() throws {
        var stream = Stream()
        try stream.configure()
        try stream.configureAudio()
        for units in [[], [0, 0, 0, 0], [0, 0, 0, 1, 0x0C]] as [[UInt8]] {
            try stream.add(.video(isKeyframe: true, offset: 0, units[...]), at: 0)
        }
        try stream.add(.audio([]), at: 0)
        let segment = stream.packager.finish()
        #expect(segment == nil)
    }

    @Test("Timestamps that run backwards a little keep their order")
    func backwards() throws {
        var stream = Stream()
        try stream.configure()
        for time in [0, 40, 30, 80, 1000] as [UInt32] { try stream.frame(time, isKeyframe: time % 1000 == 0) }
        let times = try TransportReader(stream.segments.map(\.bytes)).frames(Self.video).map(\.decoding)
        #expect(times == [1000, 1040, 1041, 1080].map { $0 * 90 })
    }

    @Test("Dates follow the timestamps, and are corrected when they drift")
    func dates() throws {
        var stream = Stream()
        try stream.configure()
        for (timestamp, arrival) in [(0, 0), (1000, 1300), (2000, 2100), (3000, 3600), (4000, 4600)]
            as [(UInt32, Int64)]
        {
            let sample = SegmentPackager.Sample.video(isKeyframe: true, offset: 0, Self.frameUnits(10))
            try stream.add(sample, at: timestamp, arrivingAt: arrival)
        }
        #expect(
            stream.segments.map { $0.date.milliseconds - Self.start.milliseconds } == [0, 1000, 2000, 3600]
        )
    }

    @Test("Keyframes that are too far apart are refused with a hint")
    func keyframeDistance() throws {
        var stream = Stream()
        try stream.configure()
        let failure = #expect(throws: LiveFailure.self) { try stream.frames(0..<12_000, distance: 20_000) }
        #expect(failure?.reason == .unsupported)
        #expect(failure?.message.contains("set the keyframe interval of the encoder") == true)
    }

    @Test("Damaged frames and configurations are refused")
    func damage() throws {
        for units in [[0, 0, 0], [0, 0, 0, 9, 1], [0xFF, 0xFF, 0xFF, 0xFF, 1]] as [[UInt8]] {
            var stream = Stream()
            try stream.configure()
            let failure = #expect(throws: LiveFailure.self, "\(units)") {
                try stream.add(.video(isKeyframe: true, offset: 0, units[...]), at: 0)
            }
            #expect(failure?.reason == .damaged)
        }
        for length in 0..<Self.record.count {
            var stream = Stream()
            #expect(throws: LiveFailure.self) { try stream.configure(Array(Self.record.prefix(length))) }
        }
        for config in [[], [0x11], [0xF8, 0], [0x17, 0x80], [0x11, 0x80]] as [[UInt8]] {
            var stream = Stream()
            #expect(throws: LiveFailure.self, "\(config)") {
                try stream.add(.audioConfiguration(config[...]), at: 0)
            }
        }
        var stream = Stream()
        try stream.configure()
        try stream.configureAudio()
        try stream.frame(0, isKeyframe: true)
        let long = [UInt8](repeating: 0, count: 8185)
        #expect(throws: LiveFailure.self) { try stream.add(.audio(long[...]), at: 0) }
    }

    @Test("A segment has a maximum size")
    func size() throws {
        var stream = Stream()
        try stream.configure()
        let unit: [UInt8] = [0, 0x3F, 0xFF, 0xFF, 0x65] + [UInt8](repeating: 7, count: 0x3F_FFFE)
        let failure = #expect(throws: LiveFailure.self) {
            for time in 0..<9 as Range<UInt32> {
                try stream.add(.video(isKeyframe: time == 0, offset: 0, unit[...]), at: time)
            }
        }
        #expect(failure?.reason == .tooLarge)
    }

    @Test("The frequency of spectral band replication is that of its core stream")
    func highEfficiency() throws {
        var stream = Stream()
        try stream.configure()
        // HE-AAC: core at 24 kHz, output at 48 kHz, stereo.
        try stream.add(.audioConfiguration([0x2B, 0x11, 0x88, 0x00]), at: 0)
        try stream.frame(0, isKeyframe: true)
        try stream.add(.audio([1]), at: 0)
        let segment = try stream.finish()
        let frame = try #require(try TransportReader([segment.bytes]).frames(Self.audio).first)
        #expect(frame.payload == [0xFF, 0xF1, 0x58, 0x80, 1, 0x1F, 0xFC, 1])
    }
}
