internal import CGLib

/// What comes by a descriptor that was opened elsewhere, as standard input is, read without holding up a thread
/// of ours.
@LoopActor
package final class DescriptorInput {
    private static let chunk = 16 << 10

    private let stream: ObjectRef

    /// Leaves `descriptor` open.
    package init(_ descriptor: Int32) {
        stream = ObjectRef(taking: UnsafeMutableRawPointer(g_unix_input_stream_new(descriptor, 0)))
    }

    /// The next bytes; empty at the end.
    ///
    /// - Throws: `GLibError`, or `CancellationError`.
    package func read() async throws -> [UInt8] { try await stream.read(atMost: Self.chunk) }
}
