internal import Basics

/// A stream as it is stored.
struct StreamRecord: Hashable, Sendable {
    /// The requested delay of players behind the encoder.
    enum Latency: String, CaseIterable {
        case low, reduced, standard

        /// The duration of segments.
        var segment: Duration { self == .standard ? .seconds(2) : .seconds(1) }

        /// The default time for which an encoder that was lost may return.
        var reconnectWindow: Int { self == .standard ? 60 : 0 }
    }

    let id: String
    /// The time of creation in seconds since 1970.
    let created: Int
    var key: String
    let playbackID: String
    var latency: Latency
    /// The time in seconds for which an encoder that was lost may return, before the stream ends.
    var reconnectWindow: Int
    var isDisabled: Bool
    let policy: PlaybackPolicy
    /// The policy of the recordings that are made while an encoder publishes the stream; nil if none are made.
    let recordingPolicy: PlaybackPolicy?
    /// Text of the creator; nil if there is none.
    var passthrough: String?

    static let reconnectWindows = 0...1800
    /// The maximum length of `passthrough` in characters.
    static let longestPassthrough = 255

    /// Creates an ID or a key that cannot be guessed, from 62 characters.
    static func randomText(_ length: Int) -> String {
        let characters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        var random = SystemRandomNumberGenerator()
        return String(
            (0..<length).map { _ in characters[Int.random(in: 0..<characters.count, using: &random)] }
        )
    }

    init(
        created: Int,
        latency: Latency,
        reconnectWindow: Int? = nil,
        policy: PlaybackPolicy = .everybody,
        recordingPolicy: PlaybackPolicy? = nil,
        passthrough: String? = nil
    ) {
        id = Self.randomText(40)
        key = Self.randomText(36)
        playbackID = Self.randomText(40)
        (self.created, self.latency, self.passthrough) = (created, latency, passthrough)
        self.reconnectWindow = reconnectWindow ?? latency.reconnectWindow
        (isDisabled, self.policy, self.recordingPolicy) = (false, policy, recordingPolicy)
    }

    init(
        id: String,
        created: Int,
        key: String,
        playbackID: String,
        latency: Latency,
        reconnectWindow: Int,
        isDisabled: Bool,
        policy: PlaybackPolicy,
        recordingPolicy: PlaybackPolicy?,
        passthrough: String?
    ) {
        (self.id, self.created, self.key, self.playbackID) = (id, created, key, playbackID)
        (self.latency, self.reconnectWindow) = (latency, reconnectWindow)
        (self.isDisabled, self.passthrough) = (isDisabled, passthrough)
        (self.policy, self.recordingPolicy) = (policy, recordingPolicy)
    }
}
