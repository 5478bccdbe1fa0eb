package import Hummingbird
internal import NIOCore

extension ResponseBody {
    /// The length of the parts in bytes; most bodies are not longer than one part.
    private static let partLength = 256 << 10

    /// Creates a body of bytes that many slow readers can share: only one part at a time is copied for each reader.
    package init(sharing bytes: [UInt8]) {
        guard bytes.count > Self.partLength else {
            self.init(byteBuffer: ByteBuffer(bytes: bytes))
            return
        }
        self.init(contentLength: bytes.count) { writer in
            for start in stride(from: 0, to: bytes.count, by: Self.partLength) {
                let end = min(start + Self.partLength, bytes.count)
                try await writer.write(ByteBuffer(bytes: bytes[start..<end]))
            }
            try await writer.finish(nil)
        }
    }
}
