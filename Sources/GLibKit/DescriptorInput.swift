internal import CGLib

/// An asynchronous reader of a file descriptor that was opened elsewhere, such as standard input.
@LoopActor
package final class DescriptorInput {
    private static let chunk = 16 << 10

    private let stream: ObjectRef

    /// Creates a reader, which does not close `descriptor` when it is released.
    package init(_ descriptor: Int32) {
        stream = ObjectRef(taking: UnsafeMutableRawPointer(g_unix_input_stream_new(descriptor, 0)))
    }

    /// Reads the next bytes; empty at the end of the input.
    ///
    /// - Throws: `GLibError`, or `CancellationError`.
    package func read() async throws -> [UInt8] { try await stream.read(atMost: Self.chunk) }
}
