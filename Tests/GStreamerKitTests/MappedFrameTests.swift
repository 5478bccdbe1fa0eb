import Testing

@testable import GStreamerKit

@Suite("Video frames mapped into memory", .timeLimit(.minutes(4)))
@MediaActor
struct MappedFrameTests {
    private struct Planes: Sendable, Equatable {
        var size: [Int]
        var counts: [Int]
        var strides: [Int]
        var sum: Int
    }

    private static func planes(of caps: String) async throws -> Planes? {
        let pipeline = try Pipeline(
            parsing: "videotestsrc num-buffers=1 pattern=white ! \(caps) ! appsink name=out sync=false",
            name: "picture"
        )
        let (frames, frame) = AsyncStream.makeStream(of: Planes?.self)
        _ = AppSink(try #require(pipeline.element(named: "out"))).hub.attach { sample in
            frame.yield(
                MappedFrame(sample).map { map in
                    Planes(
                        size: [map.width, map.height],
                        counts: map.planes.map(\.bytes.count),
                        strides: map.planes.map(\.stride),
                        sum: map.planes.reduce(0) { $0 + $1.bytes.reduce(0) { $0 &+ Int($1) } }
                    )
                }
            )
        }
        try pipeline.setState(.playing)
        defer { try? pipeline.setState(.null) }
        return await frames.next() ?? nil
    }

    @Test(
        "Every row of every plane is within the mapped memory",
        arguments: [
            (1, 1), (2, 2), (3, 5), (15, 17), (321, 241), (853, 480), (1280, 720),
        ]
    )
    func bounds(_ width: Int, _ height: Int) async throws {
        let planes = try #require(
            try await Self.planes(of: "video/x-raw,format=I420,width=\(width),height=\(height)")
        )
        let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
        #expect(planes.size == [width, height])
        #expect(planes.strides.allSatisfy { $0 > 0 })
        #expect(planes.counts[0] == planes.strides[0] * (height - 1) + width)
        #expect(planes.counts[1] == planes.strides[1] * (rows - 1) + columns)
        #expect(planes.counts[2] == planes.strides[2] * (rows - 1) + columns)
        #expect(planes.sum > 0)
    }

    @Test("A mapped frame in the packed format BGRx has one plane")
    func packed() async throws {
        let planes = try #require(try await Self.planes(of: "video/x-raw,format=BGRx,width=33,height=17"))
        #expect(planes.size == [33, 17])
        #expect(planes.counts == [planes.strides[0] * 16 + 4 * 33])
        #expect(planes.sum > 0)
    }

    @Test("Frames other than I420 and BGRx are not mapped", arguments: ["NV12", "YUY2", "RGB", "GRAY8"])
    func otherFormats(_ format: String) async throws {
        #expect(try await Self.planes(of: "video/x-raw,format=\(format),width=16,height=16") == nil)
    }

    /// Maps the first frame of a source; the pipeline no longer exists after the return.
    private static func first(of source: String) async throws -> MappedFrame {
        let pipeline = try Pipeline(parsing: "\(source) ! appsink name=out sync=false", name: "picture")
        let (frames, frame) = AsyncStream.makeStream(of: MappedFrame?.self)
        let hub = AppSink(try #require(pipeline.element(named: "out"))).hub
        _ = hub.attach { frame.yield(MappedFrame($0)) }
        try pipeline.setState(.playing)
        defer { try? pipeline.setState(.null) }
        var iterator = frames.makeAsyncIterator()
        return try #require(await iterator.next() ?? nil)
    }

    @Test("A mapped frame can be read after its pipeline has been released")
    func outlives() async throws {
        let frame = try await Self.first(
            of: "videotestsrc num-buffers=8 pattern=white ! video/x-raw,format=I420,width=64,height=48"
        )
        withExtendedLifetime(frame) {
            #expect(frame.planes[0].bytes.allSatisfy { $0 == 235 })
        }
    }

    @Test(
        "A frame's width in square pixels and its color format are read from its caps",
        arguments: [
            ("width=360,height=360,pixel-aspect-ratio=2/1", 720, false, false),
            ("width=1280,height=720", 1280, true, false),
            ("width=1280,height=720,colorimetry=bt601", 1280, false, false),
            ("width=320,height=240,colorimetry=bt709", 320, true, false),
            ("width=320,height=240,colorimetry=1:4:0:0", 320, false, true),
        ]
    )
    func form(_ caps: String, width: Int, isBT709: Bool, isFullRange: Bool) async throws {
        let map = try await Self.first(of: "videotestsrc num-buffers=1 ! video/x-raw,format=I420,\(caps)")
        #expect(map.shownWidth == width)
        #expect((map.isBT709, map.isFullRange) == (isBT709, isFullRange))
    }
}
