/// One decoded picture, readable for as long as somebody holds it.
package final class VideoFrame: Sendable {
    package enum Format: Hashable, Sendable {
        /// 8-bit planar YUV 4:2:0: the planes y, u and v.
        case i420
        /// One plane of four bytes a pixel: blue, green, red, and one that means nothing.
        case bgrx
    }

    /// How the values of YUV become red, green and blue (ITU-T H.273, matrix coefficients and range).
    package enum Colors: Hashable, Sendable {
        /// Standard and high definition's matrix, each in the limited range.
        case bt601, bt709
        /// Standard definition's in the full range, as cameras deliver it.
        case full
    }

    package struct Plane: @unchecked Sendable {  // the frame's owner keeps the bytes, and nobody changes them
        package let bytes: UnsafeRawBufferPointer
        /// Bytes from one row to the next.
        package let stride: Int

        package init(_ bytes: UnsafeRawBufferPointer, stride: Int) {
            (self.bytes, self.stride) = (bytes, stride)
        }

        fileprivate func holds(_ bytesPerRow: Int, rows: Int) -> Bool {
            let (rowsButLast, overflow) = stride.multipliedReportingOverflow(by: rows - 1)
            return !overflow && stride >= bytesPerRow && bytes.count - bytesPerRow >= rowsButLast
        }
    }

    /// The largest width and height there are; larger ones would not fit the textures of common renderers.
    package static let largestSide = 8192

    package let format: Format
    package let size: Resolution
    private let planes: [Plane]
    /// Its proportions: its size, were its pixels square.
    package let shape: Resolution
    /// Of I420.
    package let colors: Colors
    private let owner: any Sendable

    /// A picture in memory that `owner` keeps; nil where the numbers contradict the planes.
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

    /// Lends the planes, which are valid only inside `body`.
    package func withPlanes<Result>(_ body: ([Plane]) -> Result) -> Result {
        withExtendedLifetime(owner) { body(planes) }
    }
}
