internal import ChatCore

/// A voice message to a person that is being recorded or waits to be sent.
package struct ChatVoice: Hashable, Sendable {
    package enum Phase: Hashable, Sendable {
        /// The microphone is being opened.
        case starting
        case recording
        /// The recording is being ended, and is then sent if `isSent` is true.
        case ending(isSent: Bool)
        case recorded
    }

    /// The audio levels of a recording, 0…1 each, as a waveform.
    ///
    /// Each level covers the same number of measurements, which doubles whenever there are too many levels.
    package struct Levels: Hashable, Sendable {
        /// The level in dBov that is shown as silence.
        private static let floor = -54.0
        private static let most = 512

        package private(set) var values: [Double] = []
        /// The number of measurements in each value.
        private var length = 1
        private var rest: [Double] = []

        mutating func add(_ decibels: Double) {
            rest.append(min(max(0, 1 - decibels / Self.floor), 1))
            guard rest.count >= length else { return }
            values.append(rest.max() ?? 0)
            rest = []
            guard values.count > Self.most else { return }
            values = stride(from: 0, to: values.count - 1, by: 2).map { max(values[$0], values[$0 + 1]) }
            length *= 2
        }
    }

    /// The duration of a measurement of the level.
    private static let measurement = Duration.milliseconds(100)
    /// The maximum duration of a recording, whose file then stays below the size limit of files.
    package static let longest = Duration.seconds(3600)

    /// The ID of the message.
    package let id: String
    package var phase = Phase.starting
    /// The path of the file; nil until the file exists.
    package var path: String?
    package private(set) var duration = Duration.zero
    package private(set) var levels = Levels()
    /// The most recent audio level, 0…1.
    package var level: Double { levels.values.last ?? 0 }

    package init(_ id: String) { self.id = id }

    /// Adds a measured level in dBov; returns false if the recording has reached its maximum duration.
    mutating func hear(_ decibels: Double) -> Bool {
        switch phase {
        case .starting: phase = .recording
        case .recording: break
        case .ending, .recorded: return true
        }
        duration += Self.measurement
        levels.add(decibels)
        return duration < Self.longest
    }

    /// Returns the message in the form in which it is stored during the recording, because the process may
    /// end at any time; nil until the file exists.
    func file(to peer: Int) -> OutgoingFile? {
        path.map { path in
            var file = OutgoingFile(id: id, path: path, peer: peer)
            (file.isVoice, file.isNotSent) = (true, true)
            return file
        }
    }
}
