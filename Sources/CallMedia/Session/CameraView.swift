package import Basics
internal import GStreamerKit
internal import MediaKit

/// The camera's video outside calls, for taking a profile picture.
package enum CameraView {
    /// Passes the frames of the camera to `sink` as local frames until the task is cancelled.
    ///
    /// If calls send a file, the test video or a test pattern instead of the camera, the frames of that
    /// source are used.
    ///
    /// - Throws: `MediaFailure` if no camera delivers video or the camera is lost, or `CancellationError`.
    @MediaActor
    package static func show(_ configuration: MediaConfiguration, in sink: any VideoSink) async throws {
        var request = configuration.sourceRequest
        request.kinds = [.video]
        switch request.choice {
        case .camera, .test, .pattern, .file: break
        case .auto, .none, .screen, .description, .url: request.choice = .camera(nil)
        }
        let (failures, failure) = AsyncStream.makeStream(of: MediaFailure.self)
        let opener = SourceOpener(
            request: request,
            events: SourceEvents(failed: { failure.yield($0) }),
            notify: { _ in }
        )
        let source = try await opener.open().source
        var renderer: VideoRenderer?
        let end: any Error
        do {
            guard let track = source.tracks.first(where: { $0.kind == .video }) else {
                throw MediaFailure.source(message: "the source has no video", hint: "use a camera")
            }
            renderer = try VideoRenderer(
                .local,
                of: track.hub,
                in: sink,
                library: configuration.library,
                onError: { failure.yield($0) }
            )
            try source.connectionIsUp()
            for await failure in failures { throw failure }
            throw CancellationError()
        } catch { end = error }
        await renderer?.close()
        await source.close()
        throw end
    }
}
