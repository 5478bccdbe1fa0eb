package import Basics

/// A converter that scales decoded frames to their displayed size and converts their pixels, in one pass.
///
/// It must be used by one thread at a time.
package final class FrameScaler {
    private struct Conversion: Equatable {
        var from: Resolution
        var to: Resolution
        var colors: VideoFrame.Colors
    }

    /// The memory of one result, written only while no frame refers to it.
    private final class Pixels: @unchecked Sendable {  // see above
        let bytes: UnsafeMutableRawBufferPointer

        init(_ count: Int) { bytes = .allocate(byteCount: count, alignment: 64) }

        deinit { bytes.deallocate() }
    }

    /// The widths and heights of frames that are converted.
    ///
    /// Smaller frames are left to SDL: they cost little, and they lack the memory that libswscale reads after
    /// a row.
    private static let sides = 64...VideoFrame.largestSide
    /// The maximum factor by which a width or a height may be reduced.
    ///
    /// From a factor of 255, libswscale scales in two passes, and crashes if it receives a frame in parts.
    private static let maximumReduction = 128
    /// The maximum number of result buffers that are reused: one shown, one waiting, one being written, one
    /// spare.
    private static let maximumResults = 4
    /// The number of bytes that the library may read after the end of a row.
    private static let overrun = 64

    private let library: SwScale?
    private var conversion: Conversion?
    private var context: SwScale.Context?
    private var results: [Pixels] = []

    /// Creates a scaler; if no supported version of libswscale is installed, it converts no frame.
    package convenience init() { self.init(library: .shared) }

    /// Creates a scaler; without a library it converts no frame.
    init(library: SwScale?) { self.library = library }

    deinit { library?.freeContext(context) }

    /// Checks whether `pixels(of:in:)` can convert the frame.
    func converts(_ frame: VideoFrame) -> Bool {
        library != nil && frame.format == .i420 && Self.sides.contains(frame.size.width)
            && Self.sides.contains(frame.size.height)
    }

    /// Converts a frame to BGRx of the given size; nil if the frame cannot be converted.
    package func pixels(of frame: VideoFrame, in size: Resolution) -> VideoFrame? {
        let sides = 1...VideoFrame.largestSide
        guard let library, converts(frame), sides.contains(size.width), sides.contains(size.height),
            frame.size.width <= Self.maximumReduction * size.width,
            frame.size.height <= Self.maximumReduction * size.height,
            let context = context(Conversion(from: frame.size, to: size, colors: frame.colors), library)
        else { return nil }
        // The library writes up to 16 pixels beyond the end of a row.
        let stride = (4 * (size.width + 16) + 63) / 64 * 64
        let result = result(stride * size.height + Self.overrun)
        let isWhole = frame.withPlanes { convert($0, of: frame.size, context, library, result, stride) }
        guard isWhole else { return nil }
        let used = stride * (size.height - 1) + 4 * size.width
        let plane = UnsafeRawBufferPointer(rebasing: result.bytes[..<used])
        return VideoFrame(
            .bgrx,
            size,
            shape: frame.shape,
            planes: [VideoFrame.Plane(plane, stride: stride)],
            owner: result
        )
    }

    /// Converts a frame; its last one or two rows are copied first, because the memory after them may be
    /// unreadable.
    private func convert(
        _ planes: [VideoFrame.Plane],
        of size: Resolution,
        _ context: SwScale.Context,
        _ library: SwScale,
        _ result: Pixels,
        _ stride: Int
    ) -> Bool {
        let maximum = (size.height - 1) / 2 * 2
        let rest = size.height - maximum
        let chromaRow = (size.width + 1) / 2
        let copyStride = (size.width + Self.overrun + 63) / 64 * 64
        let output = result.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        func convert(_ starts: [UnsafePointer<UInt8>?], _ strides: [Int], from row: Int, rows: Int) -> Int {
            let strides = (strides + [0]).map(Int32.init)
            let outputs = [output, nil, nil, nil]
            return Int(
                library.scale(
                    context,
                    starts + [nil],
                    strides,
                    Int32(row),
                    Int32(rows),
                    outputs,
                    [Int32(stride), 0, 0, 0]
                )
            )
        }
        let starts = planes.map { $0.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) }
        guard convert(starts, planes.map(\.stride), from: 0, rows: maximum) >= 0 else { return false }
        return withUnsafeTemporaryAllocation(byteCount: 4 * copyStride, alignment: 64) { copy in
            _ = copy.initializeMemory(as: UInt8.self, repeating: 0)
            func copyRow(_ row: Int, of plane: Int, count: Int, to place: Int) {
                let start = row * planes[plane].stride
                let bytes = UnsafeRawBufferPointer(rebasing: planes[plane].bytes[start..<start + count])
                UnsafeMutableRawBufferPointer(rebasing: copy[(place * copyStride)...]).copyMemory(from: bytes)
            }
            for row in 0..<rest { copyRow(maximum + row, of: 0, count: size.width, to: row) }
            for plane in 1...2 { copyRow(maximum / 2, of: plane, count: chromaRow, to: 1 + plane) }
            let start = copy.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let rows = [0, 2, 3].map { UnsafePointer(start?.advanced(by: $0 * copyStride)) }
            return convert(rows, [copyStride, copyStride, copyStride], from: maximum, rows: rest) >= 0
        }
    }

    /// Returns the library's context for a conversion, and reuses it until the conversion changes; nil on
    /// failure.
    private func context(_ conversion: Conversion, _ library: SwScale) -> SwScale.Context? {
        if conversion == self.conversion { return context }
        if conversion.to != self.conversion?.to { results = [] }
        self.conversion = conversion
        library.freeContext(context)
        let (from, to) = (conversion.from, conversion.to)
        // Odd widths are several times slower, so one more pixel is converted.
        let width = max(2, (to.width + 1) / 2 * 2)
        context = library.makeContext(
            Int32(from.width),
            Int32(from.height),
            library.i420,
            Int32(width),
            Int32(to.height),
            library.bgrx,
            to.area < from.area ? SwScale.area : SwScale.fastBilinear,
            nil,
            nil,
            nil
        )
        guard let context else { return nil }
        let matrix = library.coefficients(conversion.colors == .bt709 ? SwScale.bt709 : SwScale.bt601)
        let screen = library.coefficients(SwScale.bt601)
        let isFull: Int32 = conversion.colors == .full ? 1 : 0
        _ = library.setColors(context, matrix, isFull, screen, 1, 0, 1 << 16, 1 << 16)
        return context
    }

    private func result(_ count: Int) -> Pixels {
        for index in results.indices where isKnownUniquelyReferenced(&results[index]) {
            return results[index]
        }
        let result = Pixels(count)
        if results.count < Self.maximumResults { results.append(result) }
        return result
    }
}
