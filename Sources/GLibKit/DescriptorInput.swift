internal import CGLib
internal import Glibc

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

extension UnsafeRawBufferPointer {
    /// Writes all bytes to a descriptor, and waits while it accepts none; false if that fails.
    package func writeAll(to descriptor: Int32) -> Bool {
        var rest = self[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            guard count >= 0 || errno == EINTR else { return false }
            rest = rest.dropFirst(count < 0 ? 0 : count)
        }
        return true
    }
}
