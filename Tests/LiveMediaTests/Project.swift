import Foundation
import MediaKit

/// The paths of the checkout that tests use.
enum Project {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let library = PipelineLibrary(directory: root.appending(path: "pipelines").path)

    /// A file with 720p30 H.264 and stereo Opus that lasts 10 s.
    static let testVideo = root.appending(path: "assets/webRtcTestVideo.mp4").path
}
