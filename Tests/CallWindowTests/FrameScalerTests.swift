import Basics
import Glibc
import Testing

@testable import CallWindow
@testable import WindowKit

@Suite("Scaling of frames")
struct FrameScalerTests {
    private let scaler = FrameScaler()

    private func pixels(_ frame: VideoFrame?, _ width: Int, _ height: Int) throws -> VideoFrame {
        let frame = try #require(frame)
        return try #require(scaler.pixels(of: frame, in: Resolution(width: width, height: height)))
    }

    @Test(
        "All pixels of a scaled frame of one color have that color, up to the edges",
        arguments: [
            (640, 360, 640, 360), (640, 360, 1280, 720), (640, 360, 320, 180), (641, 361, 333, 777),
            (64, 64, 1, 1), (639, 359, 639, 359), (99, 333, 1281, 65),
        ]
    )
    func sizes(width: Int, height: Int, shownWidth: Int, shownHeight: Int) throws {
        let frame = SolidFrame.red.sized(width, height, padding: 7).frame
        let pixels = try pixels(frame, shownWidth, shownHeight)
        #expect(pixels.size == Resolution(width: shownWidth, height: shownHeight))
        #expect(pixels.format == .bgrx && pixels.rows.count == shownHeight)
        #expect(pixels.rows.joined().allSatisfy { $0.isNear(255, 0, 0) })
    }

    @Test(
        "A frame whose width or height would shrink by a factor above 128 is left to the renderer",
        arguments: [(640, 480, 2, 720), (640, 1080, 640, 1), (8192, 64, 32, 64)]
    )
    func reduction(width: Int, height: Int, shownWidth: Int, shownHeight: Int) throws {
        let frame = try #require(SolidFrame.red.sized(width, height).frame)
        let pixels = scaler.pixels(of: frame, in: Resolution(width: shownWidth, height: shownHeight))
        #expect(pixels == nil)
    }

    @Test(
        "Colors are converted with the matrix and the range of the stream",
        arguments: [
            (VideoFrame.Colors.bt601, (255, 0, 0)), (.bt709, (255, 24, 0)), (.full, (238, 14, 14)),
        ]
    )
    func colors(colors: VideoFrame.Colors, expected: (Int, Int, Int)) throws {
        var frame = SolidFrame.red.sized(128, 64)
        frame.colors = colors
        let pixels = try pixels(frame.frame, 128, 64)
        let pixel = try #require(pixels.rows.first?.first)
        #expect(pixel.isNear(expected.0, expected.1, expected.2), "\(pixel)")
    }

    @Test("A scaled frame keeps its orientation", arguments: [(256, 128), (1024, 512), (100, 50)])
    func places(width: Int, height: Int) throws {
        let (columns, rows) = (256, 128)
        let luma = (0..<rows).flatMap { row in
            (0..<columns).map { column -> UInt8 in row >= rows / 2 ? 16 : column < columns / 2 ? 235 : 126 }
        }
        let chroma = [UInt8](repeating: 128, count: columns * rows / 4)
        let memory = FrameMemory([luma, chroma, chroma])
        let frame = VideoFrame(
            .i420,
            Resolution(width: columns, height: rows),
            planes: zip(memory.parts, [columns, columns / 2, columns / 2])
                .map { VideoFrame.Plane($0, stride: $1) },
            owner: memory
        )
        let shown = try pixels(frame, width, height).rows
        #expect(shown[height / 4][width / 4].isNear(255, 255, 255))
        #expect(shown[height / 4][width * 3 / 4].isNear(128, 128, 128))
        #expect(shown[height * 3 / 4][width / 2].isNear(0, 0, 0))
    }

    @Test(
        "Scaling a frame reads no memory beyond the last row of a plane",
        arguments: [(64, 64), (65, 65), (100, 70), (352, 288), (641, 480), (1280, 720), (1921, 1081)]
    )
    func guarded(width: Int, height: Int) throws {
        for (shownWidth, shownHeight) in [(width, height), (2 * width, 2 * height), (width / 3, height / 3)] {
            let memory = GuardedMemory(width, height)
            let frame = VideoFrame(
                .i420,
                Resolution(width: width, height: height),
                planes: zip(memory.planes, [width, (width + 1) / 2, (width + 1) / 2])
                    .map { VideoFrame.Plane($0, stride: $1) },
                owner: memory
            )
            let pixels = try pixels(frame, shownWidth, shownHeight)
            #expect(pixels.rows.last?.last?.isNear(0, 135, 0) == true)
        }
    }

    @Test("The memory of scaled pixels is reused, but not while a frame refers to it")
    func reuse() throws {
        let frame = SolidFrame.red.sized(128, 64).frame
        var addresses: Set<UnsafeRawPointer?> = []
        for _ in 0..<10 { addresses.insert(try pixels(frame, 128, 64).address) }
        #expect(addresses.count == 1)
        let held = try (0..<6).map { _ in try pixels(frame, 128, 64) }
        #expect(Set(held.map(\.address)).count == 6)
    }

    @Test("Tiny frames and frames in BGRx are not converted")
    func refusals() throws {
        let size = Resolution(width: 100, height: 100)
        for tiny in [SolidFrame.red.sized(63, 64), SolidFrame.red.sized(64, 63)] {
            let frame = try #require(tiny.frame)
            #expect(scaler.pixels(of: frame, in: size) == nil)
        }
        let frame = try #require(SolidFrame.red.sized(640, 360).frame)
        let pixels = try #require(scaler.pixels(of: frame, in: size))
        #expect(scaler.pixels(of: pixels, in: size) == nil)
        #expect(scaler.pixels(of: frame, in: Resolution(width: 8193, height: 1)) == nil)
        #expect(scaler.pixels(of: frame, in: Resolution(width: 1, height: 0)) == nil)
        #expect(FrameScaler(library: nil).pixels(of: frame, in: size) == nil)
    }
}

/// The planes of a green frame; an inaccessible memory page follows each plane.
private final class GuardedMemory: @unchecked Sendable {  // immutable
    let planes: [UnsafeRawBufferPointer]
    private let mappings: [(start: UnsafeMutableRawPointer, count: Int)]

    init(_ width: Int, _ height: Int) {
        let page = 4096
        let chroma = (width + 1) / 2 * ((height + 1) / 2)
        var planes: [UnsafeRawBufferPointer] = []
        var mappings: [(UnsafeMutableRawPointer, Int)] = []
        for count in [width * height, chroma, chroma] {
            let used = (count + page - 1) / page * page
            // mmap never returns nil; on an error it returns MAP_FAILED, which is -1.
            let access = PROT_READ | PROT_WRITE
            let start = mmap(nil, used + page, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
            mprotect(start + used, page, PROT_NONE)
            planes.append(UnsafeRawBufferPointer(start: start + used - count, count: count))
            mappings.append((start, used + page))
        }
        (self.planes, self.mappings) = (planes, mappings)
    }

    deinit { for mapping in mappings { munmap(mapping.start, mapping.count) } }
}

private struct Pixel {
    let red: Int
    let green: Int
    let blue: Int

    func isNear(_ red: Int, _ green: Int, _ blue: Int) -> Bool {
        abs(self.red - red) <= 12 && abs(self.green - green) <= 12 && abs(self.blue - blue) <= 12
    }
}

extension VideoFrame {
    fileprivate var address: UnsafeRawPointer? { withPlanes { $0[0].bytes.baseAddress } }

    fileprivate var rows: [[Pixel]] {
        withPlanes { planes in
            (0..<size.height).map { row in
                (0..<size.width).map { column in
                    let start = row * planes[0].stride + 4 * column
                    let bytes = planes[0].bytes
                    return Pixel(
                        red: Int(bytes[start + 2]),
                        green: Int(bytes[start + 1]),
                        blue: Int(bytes[start])
                    )
                }
            }
        }
    }
}
