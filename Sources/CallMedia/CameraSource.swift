internal import CallCore
internal import GStreamerKit

/// A camera, in whose place something else goes on where it vanishes.
@MediaActor
final class CameraSource: LocalSource {
    /// The pictures, wherever they come from.
    let tracks: [SourceTrack]

    private let hub = SampleHub()
    private var source: any LocalSource
    private var attachments: [SampleHub.Attachment] = []
    private var reader: Task<Void, Never>?
    private var isUp = false

    /// Sends the pictures of `camera` until `losses` tells of its end, and those of `replacement` then.
    ///
    /// `failures` hears of the loss where nothing can take its place.
    init(
        _ camera: any LocalSource,
        losses: AsyncStream<MediaFailure>,
        failures: AsyncStream<MediaFailure>.Continuation,
        replacement: @escaping @MediaActor @Sendable (MediaFailure) async throws -> any LocalSource
    ) {
        source = camera
        tracks = [SourceTrack(kind: .video, format: .raw, hub: hub)]
        attach()
        reader = Task { [weak self] in
            for await loss in losses {
                do { await self?.replace(by: try await replacement(loss)) } catch is CancellationError {
                } catch {
                    failures.yield(loss)
                }
                return
            }
        }
    }

    private func replace(by other: any LocalSource) async {
        for attachment in attachments { attachment.detach() }
        let camera = source
        source = other
        attach()
        if isUp { try? other.connectionIsUp() }
        await camera.close()
    }

    private func attach() {
        attachments = source.tracks.filter { $0.kind == .video }.map { [hub] track in
            track.hub.attach { hub.publish($0) }
        }
    }

    func connectionIsUp() throws {
        isUp = true
        try source.connectionIsUp()
    }

    func rest() {
        isUp = false
        source.rest()
    }

    func close() async {
        reader?.cancel()
        await reader?.value
        for attachment in attachments { attachment.detach() }
        await source.close()
    }
}
