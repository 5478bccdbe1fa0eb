extension VideoFrame {
    /// The memory of a frame; never changed after its creation.
    private final class Memory: @unchecked Sendable {  // see above
        /// The number of unused bytes at the end, because scalers read beyond a row.
        private static let slack = 64

        let bytes: UnsafeMutableRawBufferPointer

        init(_ content: [UInt8]) {
            bytes = .allocate(byteCount: content.count + Self.slack, alignment: 64)
            _ = bytes.initializeMemory(as: UInt8.self, repeating: 0)
            bytes.copyBytes(from: content)
        }

        deinit { bytes.deallocate() }
    }

    /// Creates an I420 frame from a copy of its planes, which follow each other without gaps.
    ///
    /// - Returns: nil if the size is out of range or does not match the number of bytes.
    package convenience init?(i420 content: [UInt8], _ size: Resolution) {
        let sides = 1...Self.largestSide
        guard sides.contains(size.width), sides.contains(size.height) else { return nil }
        let chroma = Resolution(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        guard content.count == size.area + 2 * chroma.area else { return nil }
        let memory = Memory(content)
        var start = 0
        let planes = [size, chroma, chroma].map { part in
            defer { start += part.area }
            let bytes = UnsafeRawBufferPointer(rebasing: memory.bytes[start..<start + part.area])
            return Plane(bytes, stride: part.width)
        }
        self.init(.i420, size, planes: planes, owner: memory)
    }

    /// Copies the planes of an I420 frame, without gaps between rows and planes; nil for another format.
    package var i420Bytes: [UInt8]? {
        guard format == .i420 else { return nil }
        let chroma = Resolution(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        return withPlanes { planes in
            var content: [UInt8] = []
            content.reserveCapacity(size.area + 2 * chroma.area)
            for (plane, part) in zip(planes, [size, chroma, chroma]) {
                for row in 0..<part.height {
                    let start = row * plane.stride
                    content += plane.bytes[start..<start + part.width]
                }
            }
            return content
        }
    }
}
