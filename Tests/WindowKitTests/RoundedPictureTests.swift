import Basics
import Testing

@testable import WindowKit

@Suite("Rounded pictures")
struct RoundedPictureTests {
    /// Creates a picture in BGRx with the gray value of each pixel.
    private func picture(_ width: Int, _ height: Int, _ gray: (_ x: Int, _ y: Int) -> UInt8) throws
        -> VideoFrame
    {
        let stride = 4 * width + 12
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: stride * height, alignment: 4)
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<4 { bytes[y * stride + 4 * x + channel] = gray(x, y) }
            }
        }
        let plane = VideoFrame.Plane(UnsafeRawBufferPointer(bytes), stride: stride)
        return try #require(
            VideoFrame(
                .bgrx,
                Resolution(width: width, height: height),
                planes: [plane],
                owner: Memory(bytes: bytes)
            )
        )
    }

    private final class Memory: @unchecked Sendable {  // the bytes are written only before it is created
        let bytes: UnsafeMutableRawBufferPointer

        init(bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

        deinit { bytes.deallocate() }
    }

    @Test("The covered pixels of a round picture have the area of a circle", arguments: [7, 20, 38, 47, 96])
    func area(diameter: Int) throws {
        let size = Resolution(width: diameter, height: diameter)
        let pixels = try #require(
            RoundedPicture(size: size, radius: Double(diameter)).pixels(of: picture(8, 8) { _, _ in 255 })
        )
        let covered = pixels.reduce(0.0) { $0 + Double($1 >> 24) / 255 }
        let circle = Double.pi * Double(diameter * diameter) / 4
        #expect(abs(covered - circle) < 0.03 * circle, "\(covered) \(circle)")
        #expect(pixels.contains { (1..<255).contains($0 >> 24) } && pixels[0] >> 24 < 128)
        #expect(pixels.allSatisfy { $0 & 0xFF_FFFF == 0xFF_FFFF })
    }

    @Test("A picture without rounded corners is opaque")
    func opaque() throws {
        let rounded = RoundedPicture(size: Resolution(width: 5, height: 3), radius: 0)
        let pixels = try #require(rounded.pixels(of: picture(5, 3) { x, y in UInt8(10 * x + y) }))
        for (index, pixel) in pixels.enumerated() {
            let gray = UInt32(10 * (index % 5) + index / 5)
            let wanted: UInt32 = 0xFF00_0000 + gray * 0x01_0101
            #expect(pixel == wanted)
        }
        #expect(pixels.count == 15)
    }

    @Test("Every pixel of a larger picture contributes to the reduced one", arguments: [2, 3, 10, 64])
    func reduction(side: Int) throws {
        let rounded = RoundedPicture(size: Resolution(width: side, height: side), radius: 0)
        let pixels = try #require(
            rounded.pixels(of: picture(640, 640) { x, y in (x + y) % 2 == 0 ? 0 : 255 })
        )
        #expect(pixels.allSatisfy { (126...129).contains($0 & 0xFF) })
    }

    @Test("Only a picture in BGRx is rounded")
    func planar() throws {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 96, alignment: 4)
        let planes = [(0, 8), (64, 4), (80, 4)].map { start, stride in
            VideoFrame.Plane(
                UnsafeRawBufferPointer(rebasing: bytes[start..<start + stride * stride]),
                stride: stride
            )
        }
        let size = Resolution(width: 8, height: 8)
        let frame = try #require(VideoFrame(.i420, size, planes: planes, owner: Memory(bytes: bytes)))
        #expect(RoundedPicture(size: size, radius: 4).pixels(of: frame) == nil)
    }
}
