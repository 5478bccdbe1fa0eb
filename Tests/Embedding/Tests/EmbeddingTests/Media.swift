import CallMedia
import Foundation

/// The media that these tests send.
enum Media {
    private static let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    static let video = root.appending(path: "assets/webRtcTestVideo.mp4").path

    static let library = root.appending(path: "pipelines").path

    static func configuration(recording: String? = nil) -> PeerConnection.Configuration {
        var configuration = PeerConnection.Configuration(
            source: .file(video),
            pipelines: library
        )
        configuration.recording = recording
        return configuration
    }

    /// The program that provides the signaling server, if it is built.
    static let program: URL? = ["release", "debug"].map { root.appending(path: ".build/\($0)/callrunner") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
}
