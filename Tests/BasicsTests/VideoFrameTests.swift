import Basics
import Testing

@Suite("Video frames")
struct VideoFrameTests {
    /// Creates a frame whose planes have `bytes` bytes each; their memory is invalid after the return.
    private func frame(
        _ format: VideoFrame.Format,
        _ size: (Int, Int),
        strides: [Int],
        bytes: Int
    ) -> VideoFrame? {
        [UInt8](repeating: 0, count: bytes).withUnsafeBytes { memory in
            VideoFrame(
                format,
                Resolution(width: size.0, height: size.1),
                planes: strides.map { VideoFrame.Plane(memory, stride: $0) },
                owner: 0
            )
        }
    }

    @Test(
        "The last row of a plane may lack the padding of the other rows",
        arguments: [(64, 48, 0), (64, 48, 32), (33, 17, 0), (33, 17, 31), (1, 1, 7)]
    )
    func padding(width: Int, height: Int, padding: Int) {
        let strides = [width, (width + 1) / 2, (width + 1) / 2].map { $0 + padding }
        let minimum = strides[0] * (height - 1) + width
        #expect(frame(.i420, (width, height), strides: strides, bytes: minimum) != nil)
        #expect(frame(.i420, (width, height), strides: strides, bytes: minimum - 1) == nil)
        let stride = 4 * width + padding
        let minimumPacked = stride * (height - 1) + 4 * width
        #expect(frame(.bgrx, (width, height), strides: [stride], bytes: minimumPacked) != nil)
        #expect(frame(.bgrx, (width, height), strides: [stride], bytes: minimumPacked - 1) == nil)
    }

    @Test(
        "A frame whose size contradicts its planes is refused",
        arguments: [
            (width: 0, height: 48, stride: 64), (width: 64, height: -1, stride: 64),
            (width: 64, height: 49, stride: 64), (width: 65, height: 48, stride: 64),
            (width: 64, height: 48, stride: 65), (width: 64, height: 48, stride: .max),
            (width: 64, height: 48, stride: .min), (width: .max, height: .max, stride: .max),
            (width: 8193, height: 1, stride: 8193),
        ]
    )
    func refusal(width: Int, height: Int, stride: Int) {
        #expect(frame(.i420, (width, height), strides: [stride, 32, 32], bytes: 64 * 48) == nil)
        #expect(frame(.bgrx, (width / 4, height), strides: [stride], bytes: 64 * 48 - 1) == nil)
    }

    @Test("A frame with the wrong number of planes for its format is refused")
    func counts() {
        #expect(frame(.i420, (4, 4), strides: [16], bytes: 64) == nil)
        #expect(frame(.bgrx, (4, 4), strides: [16, 16, 16], bytes: 64) == nil)
        #expect(frame(.bgrx, (4, 4), strides: [16], bytes: 64) != nil)
    }
}

@Suite("Copied video frames")
struct CopiedVideoFrameTests {
    @Test("The planes of a frame are copied unchanged at any size", arguments: [(64, 48), (33, 17), (1, 1)])
    func copy(width: Int, height: Int) throws {
        let count = width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2)
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let frame = try #require(VideoFrame(i420: bytes, Resolution(width: width, height: height)))
        #expect(frame.i420Bytes == bytes)
    }

    @Test("A number of bytes that does not match the size is refused", arguments: [0, 23, 25])
    func mismatch(count: Int) {
        let bytes = [UInt8](repeating: 0, count: count)
        #expect(VideoFrame(i420: bytes, Resolution(width: 4, height: 4)) == nil)
    }

    @Test(
        "A video frame whose size is out of range is refused",
        arguments: [(0, 4), (4, -1), (.max, .max), (9000, 1)]
    )
    func size(width: Int, height: Int) {
        #expect(VideoFrame(i420: [], Resolution(width: width, height: height)) == nil)
    }
}
