internal import CallCore
internal import GStreamerKit

/// The video of one source combined with a microphone.
@MediaActor
final class VoicedSource: LocalSource {
    private let pictures: any LocalSource
    private let microphone: Microphone

    /// Combines the video of `pictures` with the microphone; audio of `pictures` is not sent.
    init(_ pictures: any LocalSource, microphone: Microphone) {
        self.pictures = pictures
        self.microphone = microphone
    }

    var tracks: [SourceTrack] { pictures.tracks.filter { $0.kind == .video } + microphone.tracks }

    func connectionIsUp() throws {
        try pictures.connectionIsUp()
        try microphone.connectionIsUp()
    }

    func rest() {
        pictures.rest()
        microphone.rest()
    }

    func close() async {
        await microphone.close()
        await pictures.close()
    }
}
