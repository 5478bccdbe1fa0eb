import Foundation

@testable import CallMedia

/// Where the checkout keeps what tests need.
enum Project {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let library = PipelineLibrary(directory: root.appending(path: "pipelines").path)

    /// 720p30 H.264 and stereo Opus, 10 s.
    static let testVideo = root.appending(path: "assets/webRtcTestVideo.mp4").path

    /// Long tests run where `CALLRUNNER_LONG=1` says so.
    static let runsLongTests = ProcessInfo.processInfo.environment["CALLRUNNER_LONG"] == "1"
}
