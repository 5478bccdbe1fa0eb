package import CallCore
internal import GStreamerKit

/// The tone of a call that waits to be answered.
package enum Ringer {
    /// Sounds where the peer will be heard, and as loud, until the task is cancelled; at once over where there is no sound.
    ///
    /// - Parameter configuration: of the call to come.
    /// - Throws: `MediaFailure` where the loudspeaker is not there, cannot be opened, or is lost.
    @MediaActor
    package static func ring(_ configuration: MediaConfiguration) async throws(MediaFailure) {
        guard let device = try AudioDevices.speaker(configuration, { _ in }).device else { return }
        do {
            let pipeline = try Pipeline(
                parsing: configuration.library.description("viewers/ring", ["speaker": device.element]),
                name: "ring"
            )
            if let address = device.address { pipeline.element(named: "output")?.set("device", address) }
            let volume = Double(configuration.sound.volume) / 100
            pipeline.element(named: "volume")?.set("volume", parsing: "\(volume)")
            // By the shared clock all is late that would have been heard since the program began.
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
