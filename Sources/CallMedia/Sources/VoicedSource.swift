internal import CallCore
internal import GStreamerKit

/// The pictures of one source and the voice of a person beside them.
@MediaActor
final class VoicedSource: LocalSource {
    private let pictures: any LocalSource
    private let microphone: Microphone

    /// What `pictures` has of its own sound is not sent.
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
