/// The planes of a frame, in memory that is freed together with this object.
final class FrameMemory: @unchecked Sendable {  // immutable
    let parts: [UnsafeRawBufferPointer]

    init(_ parts: [[UInt8]]) {
        self.parts = parts.map { part in
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: part.count, alignment: 16)
            memory.copyBytes(from: part)
            return UnsafeRawBufferPointer(memory)
        }
    }

    deinit { for part in parts { part.deallocate() } }
}
