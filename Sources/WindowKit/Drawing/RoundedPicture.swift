internal import Basics

/// A still picture in its displayed size, whose rounded corners are transparent.
///
/// A renderer would leave steps at the edge of a round picture, and skip the pixels of one that is much larger.
struct RoundedPicture: Hashable, Sendable {
    private typealias Pixel = SIMD4<Float>

    /// The size in pixels.
    let size: Resolution
    /// The radius of the corners in pixels.
    let radius: Double

    init(size: Resolution, radius: Double) {
        self.size = size
        self.radius = min(radius, Double(size.width) / 2, Double(size.height) / 2)
    }

    /// Scales a frame, and returns its pixels as `0xAARRGGBB`; nil if the frame is not in BGRx.
    func pixels(of frame: VideoFrame) -> [UInt32]? {
        guard frame.format == .bgrx else { return nil }
        let columns = Self.taps(from: frame.size.width, to: size.width)
        let rows = Self.taps(from: frame.size.height, to: size.height)
        return frame.withPlanes { planes in
            var pixels: [UInt32] = []
            pixels.reserveCapacity(size.area)
            var line = [Pixel](repeating: .zero, count: frame.size.width)
            for (y, row) in rows.enumerated() {
                for x in line.indices { line[x] = .zero }
                for (index, weight) in row.weights.enumerated() {
                    let start = (row.first + index) * planes[0].stride
                    for x in line.indices {
                        let pixel = planes[0].bytes.loadUnaligned(
                            fromByteOffset: start + 4 * x,
                            as: SIMD4<UInt8>.self
                        )
                        line[x] += Pixel(pixel) * weight
                    }
                }
                for (x, column) in columns.enumerated() {
                    var sum = Pixel(repeating: 0.5)
                    for (index, weight) in column.weights.enumerated() {
                        sum += line[column.first + index] * weight
                    }
                    pixels.append(packed(sum, coverage(x, y)))
                }
            }
            return pixels
        }
    }

    private func packed(_ pixel: Pixel, _ coverage: Double) -> UInt32 {
        let (blue, green, red) = (UInt32(pixel.x), UInt32(pixel.y), UInt32(pixel.z))
        return UInt32((coverage * 255).rounded()) << 24 | red << 16 | green << 8 | blue
    }

    /// Computes the share of a pixel that is inside the rounded corners, 0…1.
    func coverage(_ x: Int, _ y: Int) -> Double {
        guard radius > 0 else { return 1 }
        func outside(_ position: Int, _ length: Int) -> Double {
            let middle = Double(position) + 0.5
            return max(0, radius - middle, middle - Double(length) + radius)
        }
        let (dx, dy) = (outside(x, size.width), outside(y, size.height))
        return min(max(radius + 0.5 - (dx * dx + dy * dy).squareRoot(), 0), 1)
    }

    /// The pixels of a source row or column that contribute to one pixel of the result, with weights whose sum is 1.
    private struct Taps {
        var first: Int
        var weights: [Float]
    }

    /// Computes the contributions to each pixel of the result by linear interpolation, whose reach grows with the
    /// reduction, so that every pixel of the source contributes.
    private static func taps(from source: Int, to count: Int) -> [Taps] {
        let scale = Double(source) / Double(count)
        let reach = max(1, scale)
        return (0..<count).map { index in
            let center = (Double(index) + 0.5) * scale
            let first = max(0, Int((center - reach).rounded(.down)))
            let last = min(source - 1, Int((center + reach).rounded(.up)))
            let weights = (first...last).map { max(0, 1 - abs(Double($0) + 0.5 - center) / reach) }
            let sum = weights.reduce(0, +)
            return Taps(first: first, weights: weights.map { Float($0 / sum) })
        }
    }
}
