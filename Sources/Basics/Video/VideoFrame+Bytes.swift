extension VideoFrame {
    /// The memory of a frame; never changed after its creation.
    private final class Memory: @unchecked Sendable {  // see above
        /// The padding after the last plane, in bytes, because scalers read past the end of a row.
        private static let slack = 64

        let bytes: UnsafeMutableRawBufferPointer

        init(_ content: [UInt8]) {
            bytes = .allocate(byteCount: content.count + Self.slack, alignment: 64)
            _ = bytes.initializeMemory(as: UInt8.self, repeating: 0)
            bytes.copyBytes(from: content)
        }

        deinit { bytes.deallocate() }
    }

    /// Returns the sizes of the planes Y, U and V of an I420 frame; nil if its size is out of range.
    private static func planes(ofI420 size: Resolution) -> [Resolution]? {
        let sides = 1...largestSide
        guard sides.contains(size.width), sides.contains(size.height) else { return nil }
        let chroma = Resolution(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        return [size, chroma, chroma]
    }

    /// Returns the number of bytes of an I420 frame without gaps; nil if its size is out of range.
    package static func bytes(ofI420 size: Resolution) -> Int? {
        planes(ofI420: size)?.reduce(0) { $0 + $1.area }
    }

    /// Creates an I420 frame from a copy of its planes, which follow each other without gaps.
    ///
    /// - Returns: nil if the size is out of range or does not match the number of bytes.
    package convenience init?(i420 content: [UInt8], _ size: Resolution) {
        guard content.count == Self.bytes(ofI420: size) else { return nil }
        let memory = Memory(content)
        self.init(i420: UnsafeRawBufferPointer(memory.bytes), size, owner: memory)
    }

    /// Creates an I420 frame from planes that follow each other without gaps, in memory that `owner` keeps alive.
    ///
    /// - Returns: nil if the size is out of range or exceeds the memory.
    package convenience init?(
        i420 content: UnsafeRawBufferPointer,
        _ size: Resolution,
        shape: Resolution? = nil,
        colors: Colors = .bt601,
        owner: any Sendable
    ) {
        guard let parts = Self.planes(ofI420: size), parts.reduce(0, { $0 + $1.area }) <= content.count
        else { return nil }
        var start = 0
        let planes = parts.map { part in
            defer { start += part.area }
            let bytes = UnsafeRawBufferPointer(rebasing: content[start..<start + part.area])
            return Plane(bytes, stride: part.width)
        }
        self.init(.i420, size, shape: shape, colors: colors, planes: planes, owner: owner)
    }

    /// Copies the planes of an I420 frame, without gaps between rows and planes; nil for another format.
    package var i420Bytes: [UInt8]? {
        guard let count = Self.bytes(ofI420: size) else { return nil }
        var isCopied = false
        let content = [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
            isCopied = copyI420(to: UnsafeMutableRawBufferPointer(bytes))
            initialized = isCopied ? count : 0
        }
        return isCopied ? content : nil
    }

    /// Copies the planes of an I420 frame, without gaps between rows and planes.
    ///
    /// - Returns: False for another format, or if the planes do not fit into `target`; else true.
    package func copyI420(to target: UnsafeMutableRawBufferPointer) -> Bool {
        guard format == .i420, let parts = Self.planes(ofI420: size),
            parts.reduce(0, { $0 + $1.area }) <= target.count
        else { return false }
        withPlanes { planes in
            var rest = target[...]
            for (plane, part) in zip(planes, parts) {
                Self.copy(plane, part, to: UnsafeMutableRawBufferPointer(rebasing: rest))
                rest = rest.dropFirst(part.area)
            }
        }
        return true
    }

    private static func copy(_ plane: Plane, _ part: Resolution, to target: UnsafeMutableRawBufferPointer) {
        if plane.stride == part.width {
            return target.copyMemory(from: UnsafeRawBufferPointer(rebasing: plane.bytes[..<part.area]))
        }
        for row in 0..<part.height {
            let source = plane.bytes[(row * plane.stride)...].prefix(part.width)
            let place = target[(row * part.width)...].prefix(part.width)
            UnsafeMutableRawBufferPointer(rebasing: place)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: source))
        }
    }
}
