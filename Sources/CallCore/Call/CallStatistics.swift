/// The statistics of a call in both directions, taken every second; bit rates are in bits per second.
package struct CallStatistics: Hashable, Sendable {
    package struct Incoming: Hashable, Sendable {
        package var codec = ""
        package var bitrate = 0
        /// The number of packets since the attempt began; `bytes`, `lost`, `frames` and `freezes` are also
        /// totals.
        package var packets = 0
        package var bytes = 0
        package var lost = 0
        package var jitterMs = 0.0
        /// The number of packets whose retransmission we have requested since the attempt began.
        ///
        /// `retransmitted` is the number of these packets that arrived, `pli` the number of keyframe requests.
        package var nack = 0
        package var retransmitted = 0
        package var pli = 0
        /// The time in milliseconds for which the jitter buffer delays packets.
        package var jitterBufferMs = 0
        // Video only.
        package var fps = 0.0
        package var frames = 0
        package var width = 0
        package var height = 0
        package var freezes = 0
        /// Audio only: the level in dBov (−127…0), the root mean square over one second; nil if the audio is
        /// not decoded.
        package var level: Double?

        package init() {}
    }

    package struct Outgoing: Hashable, Sendable {
        package var codec = ""
        package var bitrate = 0
        /// The number of packets since the attempt began; `bytes` and `frames` are also totals.
        package var packets = 0
        package var bytes = 0
        package var frames = 0
        package var fps = 0.0
        package var passthrough = false
        /// The encoder element, such as `x264enc`; nil if the stream is not encoded on this side.
        package var encoder: String?
        // Video only.
        /// The target bit rate of the encoder; it does not apply to a stream that is passed through.
        package var target: Int?
        /// The number of packets whose retransmission the peer has requested since the attempt began.
        ///
        /// `retransmitted` is the number of these packets that were sent, `pli` the number of keyframe requests.
        package var nack = 0
        package var retransmitted = 0
        package var pli = 0
        // Audio only.
        /// The level in dBov (−127…0), the root mean square over one second; nil if the audio is neither
        /// encoded on this side nor muted.
        package var level: Double?

        package init() {}
    }

    /// The statistics of received video; nil until its first packet.
    ///
    /// Each of the following three properties is also nil until the first packet of its kind.
    package var videoIn: Incoming?
    package var videoOut: Outgoing?
    package var audioIn: Incoming?
    package var audioOut: Outgoing?
    /// The round-trip time in milliseconds; nil while it is unknown.
    package var rttMs: Double?
    /// The estimated capacity of the path in bits per second.
    package var availableOutgoingBitrate: Int?

    package init() {}
}
