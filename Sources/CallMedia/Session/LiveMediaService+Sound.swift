internal import CallCore
internal import GStreamerKit

extension LiveMediaService {
    /// Plays the peer at so many percent of the loudness that comes, 0…150.
    @MediaActor package func setVolume(_ percent: Int) async { loudspeaker?.setVolume(percent) }

    /// Shows in the window how loud that side is.
    func meter(of side: MediaSide) -> AudioMeter {
        AudioMeter { [window = configuration.window] in window?.show(audioLevel: $0, of: side) }
    }
}
