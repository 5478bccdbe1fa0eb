internal import CallCore

/// A copy of one picture in I420, rows without padding, in memory that the next picture uses again.
struct PictureBuffer: Sendable {
    /// The largest width and height taken; larger ones would not fit the textures of common renderers.
    static let largestSide = 8192

    private(set) var width = 0
    private(set) var height = 0
    private var bytes: [UInt8] = []

    var chromaWidth: Int { (width + 1) / 2 }
    var chromaHeight: Int { (height + 1) / 2 }

    /// Copies the frame's planes; false, and nothing is changed, if the frame's numbers contradict its planes.
    mutating func copy(_ frame: borrowing VideoFrame) -> Bool {
        let sides = 1...Self.largestSide
        guard sides.contains(frame.width), sides.contains(frame.height) else { return false }
        let (chromaWidth, chromaHeight) = ((frame.width + 1) / 2, (frame.height + 1) / 2)
        guard
            Self.holds(frame.y, stride: frame.yStride, width: frame.width, height: frame.height),
            Self.holds(frame.u, stride: frame.uStride, width: chromaWidth, height: chromaHeight),
            Self.holds(frame.v, stride: frame.vStride, width: chromaWidth, height: chromaHeight)
        else { return false }
        (width, height) = (frame.width, frame.height)
        let (luma, chroma) = (width * height, chromaWidth * chromaHeight)
        if bytes.count != luma + 2 * chroma { bytes = [UInt8](repeating: 0, count: luma + 2 * chroma) }
        bytes.withUnsafeMutableBytes { bytes in
            Self.copy(frame.y, stride: frame.yStride, width: width, into: bytes[..<luma])
            Self.copy(frame.u, stride: frame.uStride, width: chromaWidth, into: bytes[luma..<luma + chroma])
            Self.copy(frame.v, stride: frame.vStride, width: chromaWidth, into: bytes[(luma + chroma)...])
        }
        return true
    }

    /// Lends the planes y, u and v; their strides are `width`, `chromaWidth` and `chromaWidth`.
    func withPlanes<Result>(
        _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        let (luma, chroma) = (width * height, chromaWidth * chromaHeight)
        return bytes.withUnsafeBufferPointer { bytes in
            body(
                UnsafeBufferPointer(rebasing: bytes[..<luma]),
                UnsafeBufferPointer(rebasing: bytes[luma..<luma + chroma]),
                UnsafeBufferPointer(rebasing: bytes[(luma + chroma)...])
            )
        }
    }

    private static func holds(
        _ plane: UnsafeRawBufferPointer,
        stride: Int,
        width: Int,
        height: Int
    ) -> Bool {
        let (rowsButLast, overflow) = stride.multipliedReportingOverflow(by: height - 1)
        guard !overflow, stride >= width else { return false }
        return plane.count - width >= rowsButLast
    }

    private static func copy(
        _ plane: UnsafeRawBufferPointer,
        stride: Int,
        width: Int,
        into slice: Slice<UnsafeMutableRawBufferPointer>
    ) {
        let target = UnsafeMutableRawBufferPointer(rebasing: slice)
        guard stride != width else {
            return target.copyMemory(from: UnsafeRawBufferPointer(rebasing: plane[..<target.count]))
        }
        for row in 0..<target.count / width {
            let source = plane[row * stride..<row * stride + width]
            UnsafeMutableRawBufferPointer(rebasing: target[row * width..<(row + 1) * width])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: source))
        }
    }
}
