internal import CallCore
internal import GStreamerKit

extension LiveMediaService {
    /// Sets the playback volume in percent, 0…150.
    @MediaActor package func setVolume(_ percent: Int) async { loudspeaker?.setVolume(percent) }

    /// Creates a meter that shows the audio level of a side in the window.
    func meter(of side: MediaSide) -> AudioMeter {
        AudioMeter { [window = configuration.window] in window?.show(audioLevel: $0, of: side) }
    }
}
