internal import Basics
package import LiveCore
package import MediaKit
internal import SoupKit

/// A service that plays streams with GStreamer.
package struct LiveMediaPlayer: LiveStreamService {
    private let output: LiveOutput
    private let library: PipelineLibrary
    private let check = AddressCheck(client: HTTPClient(idleLimit: .seconds(10)))

    package init(_ output: LiveOutput, library: PipelineLibrary) {
        (self.output, self.library) = (output, library)
    }

    package func open(_ address: LiveAddress, _ options: LiveOptions) async throws -> any LiveStream {
        let finding = try await check.check(address)
        do {
            let gateway = finding.playlist == nil ? nil : try await StreamGateway()
            return try await PlaybackStream(
                finding,
                at: await gateway?.offer(finding.uri) ?? finding.uri,
                through: gateway,
                options,
                await output(for: options),
                library: library,
                explain: { [check] in
                    do { _ = try await check.check(address) } catch { return error as? LiveFailure }
                    return nil
                }
            )
        } catch {
            throw LiveFailure(.unsupported, MediaFailure(error).sentence)
        }
    }

    /// Returns the outputs with the selected loudspeaker, if it is connected.
    private func output(for options: LiveOptions) async -> LiveOutput {
        guard output.takesSelectedSpeaker, output.speaker != nil, let id = options.speaker,
            id != MediaDevice.standard,
            let speaker = try? await AudioDevice.find(.named(id), .playback, on: nil)
        else { return output }
        var output = output
        output.speaker = speaker
        return output
    }
}
