/// The statistics of one second of a call in both directions; bit rates are in bits per second.
package struct CallStatistics: Hashable, Sendable {
    package struct Incoming: Hashable, Sendable {
        package var codec = ""
        package var bitrate = 0
        /// The number of packets since the call began; `bytes`, `frames` and `lost` count likewise.
        package var packets = 0
        package var bytes = 0
        package var lost = 0
        package var jitterMs = 0.0
        /// The number of packets requested again since the call began.
        ///
        /// `retransmitted` counts those that arrived, `pli` the keyframes requested.
        package var nack = 0
        package var retransmitted = 0
        package var pli = 0
        /// The time for which packets wait for earlier ones, in milliseconds.
        package var jitterBufferMs = 0
        // Video only.
        package var fps = 0.0
        package var frames = 0
        package var width = 0
        package var height = 0
        package var freezes = 0
        /// Audio only: the root mean square of the second in dBov (−127…0), if it is decoded.
        package var level: Double?

        package init() {}
    }

    package struct Outgoing: Hashable, Sendable {
        package var codec = ""
        package var bitrate = 0
        /// The number of packets since the call began; `bytes` and `frames` count likewise.
        package var packets = 0
        package var bytes = 0
        package var frames = 0
        package var fps = 0.0
        package var passthrough = false
        /// The encoder element, such as `x264enc`; nil if the stream is not encoded on this side.
        package var encoder: String?
        // Video only.
        /// The target bit rate of the encoder; a stream passed through keeps its own.
        package var target: Int?
        /// The number of packets that the peer requested again since the call began.
        ///
        /// `retransmitted` counts those that were sent, `pli` the keyframes that the peer requested.
        package var nack = 0
        package var retransmitted = 0
        package var pli = 0
        // Audio only.
        /// The root mean square of the second in dBov (−127…0), if it is encoded on this side or muted.
        package var level: Double?

        package init() {}
    }

    package var videoIn: Incoming?
    package var videoOut: Outgoing?
    package var audioIn: Incoming?
    package var audioOut: Outgoing?
    package var rttMs: Double?
    /// The estimated capacity of the path in bits per second.
    package var availableOutgoingBitrate: Int?

    package init() {}
}
