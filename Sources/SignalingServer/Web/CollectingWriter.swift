internal import Hummingbird
internal import NIOCore

/// Collects what a response writes, as the front sends bodies whole.
final class CollectingWriter: ResponseBodyWriter {
    private(set) var body = ByteBuffer()

    func write(_ buffer: ByteBuffer) async throws { body.writeImmutableBuffer(buffer) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
