/// The bytes of a frame, which stay at their addresses until they are released.
final class FrameMemory: @unchecked Sendable {  // never changed
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
