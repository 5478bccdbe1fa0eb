internal import Basics
internal import GLibKit
package import LiveCore
internal import MediaKit

/// A service that plays each stream in a separate process.
///
/// If a stream makes GStreamer crash, hang or allocate memory without limit, only this stream fails.
package struct SeparatePlayer: LiveStreamService {
    private let output: LiveOutput
    private let starter: PlayerStarter

    /// Creates a service; `output` must not have a recording.
    package init(_ output: LiveOutput, _ starter: PlayerStarter) {
        (self.output, self.starter) = (output, starter)
    }

    package func open(_ address: LiveAddress, _ options: LiveOptions) async throws -> any LiveStream {
        let stream: SeparateStream
        do { stream = await SeparateStream(try starter.next(), output) } catch {
            throw LiveFailure(.unsupported, "the player cannot be started: \(error)")
        }
        do { try await stream.open(address, options) } catch {
            await stream.close()
            throw error
        }
        return stream
    }
}
