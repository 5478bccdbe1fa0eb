internal import Hummingbird
internal import NIOCore

/// A writer that collects a response's body, because the HTTP handler sends it as a whole.
final class CollectingWriter: ResponseBodyWriter {
    private(set) var body = ByteBuffer()

    func write(_ buffer: ByteBuffer) async throws { body.writeImmutableBuffer(buffer) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
