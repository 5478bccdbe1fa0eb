/// A decoded video frame, which stays readable while a reference to it exists.
package final class VideoFrame: Sendable {
    package enum Format: Hashable, Sendable {
        /// 8-bit planar YUV 4:2:0 with the planes Y, U and V.
        case i420
        /// One plane with four bytes per pixel: blue, green, red and an unused byte.
        case bgrx
    }

    /// The conversion from YUV to RGB (ITU-T H.273, matrix coefficients and range).
    package enum Colors: Hashable, Sendable {
        /// The matrices of standard and high definition, each in the limited range.
        case bt601, bt709
        /// The matrix of standard definition in the full range, as cameras deliver it.
        case full
    }

    package struct Plane: @unchecked Sendable {  // the frame's owner keeps the bytes alive; they never change
        package let bytes: UnsafeRawBufferPointer
        /// The number of bytes from one row to the next.
        package let stride: Int

        package init(_ bytes: UnsafeRawBufferPointer, stride: Int) {
            (self.bytes, self.stride) = (bytes, stride)
        }

        fileprivate func holds(_ bytesPerRow: Int, rows: Int) -> Bool {
            let (rowsButLast, overflow) = stride.multipliedReportingOverflow(by: rows - 1)
            return !overflow && stride >= bytesPerRow && bytes.count - bytesPerRow >= rowsButLast
        }
    }

    /// The maximum width and height; larger frames do not fit the textures of common renderers.
    package static let largestSide = 8192

    package let format: Format
    package let size: Resolution
    private let planes: [Plane]
    /// The size of the frame when scaled to square pixels, which defines its aspect ratio.
    package let shape: Resolution
    /// The color conversion of an I420 frame.
    package let colors: Colors
    private let owner: any Sendable

    /// Creates a frame whose memory `owner` keeps alive.
    ///
    /// The result is nil if the planes do not fit the format and size, or if a side is not in
    /// 1…`largestSide`. If `shape` is nil, pixels are square.
    package init?(
        _ format: Format,
        _ size: Resolution,
        shape: Resolution? = nil,
        colors: Colors = .bt601,
        planes: [Plane],
        owner: any Sendable
    ) {
        let sides = 1...Self.largestSide
        guard sides.contains(size.width), sides.contains(size.height) else { return nil }
        let chroma = ((size.width + 1) / 2, rows: (size.height + 1) / 2)
        let needed =
            switch format {
            case .i420: [(size.width, rows: size.height), chroma, chroma]
            case .bgrx: [(4 * size.width, rows: size.height)]
            }
        guard planes.count == needed.count,
            zip(planes, needed).allSatisfy({ $0.holds($1.0, rows: $1.rows) })
        else { return nil }
        (self.format, self.size, self.planes, self.owner) = (format, size, planes, owner)
        (self.shape, self.colors) = (shape ?? size, colors)
    }

    /// Calls `body` with the planes, which are valid only during that call.
    package func withPlanes<Result>(_ body: ([Plane]) -> Result) -> Result {
        withExtendedLifetime(owner) { body(planes) }
    }
}
