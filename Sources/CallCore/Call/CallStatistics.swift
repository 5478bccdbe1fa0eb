/// One second of a call, both directions; bit rates in bits per second.
package struct CallStatistics: Hashable, Sendable {
    package struct Incoming: Hashable, Sendable {
        package var codec = ""
        package var bitrate = 0
        /// Since the call began, like `bytes`, `frames` and `lost`.
        package var packets = 0
        package var bytes = 0
        package var lost = 0
        package var jitterMs = 0.0
        /// Packets asked for again and those of them that came, keyframes asked for; since the call began.
        package var nack = 0
        package var retransmitted = 0
        package var pli = 0
        /// How long packets wait for those before them.
        package var jitterBufferMs = 0
        // Video only.
        package var fps = 0.0
        package var frames = 0
        package var width = 0
        package var height = 0
        package var freezes = 0
        /// Audio only: the second's root mean square in dBov (−127…0), where it is decoded.
        package var level: Double?

        package init() {}
    }

    package struct Outgoing: Hashable, Sendable {
        package var codec = ""
        package var bitrate = 0
        /// Since the call began, like `bytes` and `frames`.
        package var packets = 0
        package var bytes = 0
        package var frames = 0
        package var fps = 0.0
        package var passthrough = false
        /// The element that encodes it, as in `x264enc`; nil where nothing does.
        package var encoder: String?
        // Video only.
        /// What the encoder is told; what is passed through keeps its own.
        package var target: Int?
        /// What the peer asked for again, what of it was sent, keyframes it asked for; since the call began.
        package var nack = 0
        package var retransmitted = 0
        package var pli = 0
        // Audio only.
        /// The second's root mean square in dBov (−127…0), where it is encoded here or muted.
        package var level: Double?

        package init() {}
    }

    package var videoIn: Incoming?
    package var videoOut: Outgoing?
    package var audioIn: Incoming?
    package var audioOut: Outgoing?
    package var rttMs: Double?
    /// What the path is taken to carry.
    package var availableOutgoingBitrate: Int?

    package init() {}
}
