internal import Basics
internal import GStreamerKit

/// The video of one source combined with a microphone.
@MediaActor
final class VoicedSource: LocalSource {
    private let videoSource: any LocalSource
    private let microphone: Microphone

    /// Combines the video of `videoSource` with the microphone; audio of `videoSource` is not sent.
    init(_ videoSource: any LocalSource, microphone: Microphone) {
        self.videoSource = videoSource
        self.microphone = microphone
    }

    var tracks: [SourceTrack] { videoSource.tracks.filter { $0.kind == .video } + microphone.tracks }

    func connectionIsUp() throws {
        try videoSource.connectionIsUp()
        try microphone.connectionIsUp()
    }

    func rest() {
        videoSource.rest()
        microphone.rest()
    }

    func close() async {
        await microphone.close()
        await videoSource.close()
    }
}
