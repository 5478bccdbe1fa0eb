import CallCore
import Testing

@testable import CallWindow

@Suite("Picture buffer")
struct PictureBufferTests {
    @Test(
        "Rows are copied without their padding",
        arguments: [(64, 48, 0), (64, 48, 32), (33, 17, 0), (33, 17, 31), (1, 1, 7)]
    )
    func padding(width: Int, height: Int, padding: Int) {
        var buffer = PictureBuffer()
        SolidFrame.red.sized(width, height, padding: padding).withFrame { frame in
            let isCopied = buffer.copy(frame)
            #expect(isCopied)
        }
        buffer.withPlanes { y, u, v in
            #expect(y.count == width * height && y.allSatisfy { $0 == SolidFrame.red.y })
            #expect(
                u.count == ((width + 1) / 2) * ((height + 1) / 2) && u.allSatisfy { $0 == SolidFrame.red.u }
            )
            #expect(v.count == u.count && v.allSatisfy { $0 == SolidFrame.red.v })
        }
    }

    @Test("A picture of the same size goes into the same memory")
    func reuse() {
        var buffer = PictureBuffer()
        SolidFrame.red.withFrame { _ = buffer.copy($0) }
        let before = buffer.withPlanes { y, _, _ in y.baseAddress }
        SolidFrame.blue.withFrame { _ = buffer.copy($0) }
        #expect(buffer.withPlanes { y, _, _ in y.baseAddress } == before)
    }

    @Test(
        "A frame whose numbers contradict its planes is refused",
        arguments: [
            (width: 0, height: 48, stride: 64), (width: 64, height: -1, stride: 64),
            (width: 64, height: 49, stride: 64), (width: 65, height: 48, stride: 64),
            (width: 64, height: 48, stride: 65), (width: 64, height: 48, stride: .max),
            (width: 64, height: 48, stride: .min), (width: .max, height: .max, stride: .max),
            (width: 8193, height: 1, stride: 8193),
        ]
    )
    func refusal(width: Int, height: Int, stride: Int) {
        let luma = [UInt8](repeating: 0, count: 64 * 48)
        let chroma = [UInt8](repeating: 0, count: 8192)
        var buffer = PictureBuffer()
        luma.withUnsafeBytes { y in
            chroma.withUnsafeBytes { uv in
                let frame = VideoFrame(
                    width: width,
                    height: height,
                    y: y,
                    u: uv,
                    v: uv,
                    yStride: stride,
                    uStride: 32,
                    vStride: 32
                )
                let isCopied = buffer.copy(frame)
                #expect(!isCopied)
            }
        }
        #expect(buffer.width == 0)
    }
}
