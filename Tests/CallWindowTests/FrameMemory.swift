/// The bytes of a frame at fixed addresses, which are valid until this object is deallocated.
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
