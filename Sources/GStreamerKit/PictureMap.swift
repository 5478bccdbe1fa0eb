internal import CGStreamer

/// A mapped raw picture in I420: 8-bit planar YUV 4:2:0; valid only inside the closure that receives it.
package struct PictureMap: ~Copyable {
    package enum Plane: Int, Sendable, CaseIterable { case y, u, v }

    package let width: Int
    package let height: Int
    private let frame: GstVideoFrame

    init(_ frame: GstVideoFrame) {
        self.frame = frame
        width = Int(frame.info.width)
        height = Int(frame.info.height)
    }

    /// The bytes of one plane, to the end of its last row, and the distance between its rows.
    ///
    /// Chroma planes round odd sizes up. The last row may lack the padding of the others: a decoder
    /// that crops by offset leaves no memory behind it.
    package func plane(_ plane: Plane) -> (bytes: UnsafeRawBufferPointer, stride: Int) {
        let (data, stride) =
            switch plane {
            case .y: (frame.data.0, Int(frame.info.stride.0))
            case .u: (frame.data.1, Int(frame.info.stride.1))
            case .v: (frame.data.2, Int(frame.info.stride.2))
            }
        let isLuma = plane == .y
        let (columns, rows) = isLuma ? (width, height) : ((width + 1) / 2, (height + 1) / 2)
        guard let data, rows > 0, stride >= columns else {
            return (UnsafeRawBufferPointer(start: nil, count: 0), 0)
        }
        return (UnsafeRawBufferPointer(start: data, count: stride * (rows - 1) + columns), stride)
    }
}
