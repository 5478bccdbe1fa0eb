package import Basics
internal import GStreamerKit

/// The ringtone of an incoming call.
package enum Ringer {
    /// Plays the ringtone on the loudspeaker that `request` selects, at its volume, until the task is cancelled.
    ///
    /// It returns immediately if there is no loudspeaker.
    ///
    /// - Throws: `MediaFailure` if the loudspeaker that the user named does not exist, or if the loudspeaker
    ///   cannot be opened or is lost.
    @MediaActor
    package static func ring(_ request: AudioRequest) async throws(MediaFailure) {
        guard let device = try AudioDevices.speaker(request, { _ in }).device else { return }
        do {
            let pipeline = try Pipeline(
                parsing: request.library.description("viewers/ring", ["speaker": device.element]),
                name: "ring"
            )
            if let address = device.address { pipeline.element(named: "output")?.set("device", address) }
            let volume = Double(request.settings.volume) / 100
            pipeline.element(named: "volume")?.set("volume", parsing: "\(volume)")
            // The shared clock has been running for longer, so all audio of the ringtone would count as late.
            pipeline.followOwnClock()
            defer { try? pipeline.setState(.null) }
            try pipeline.setState(.playing)
            for await message in pipeline.messages {
                if case .error(let element, _, let text, _) = message {
                    throw MediaFailure.pipeline(element: element, message: text)
                }
            }
        } catch {
            throw MediaFailure(error)
        }
    }
}
