/// An event of a stream that is published.
package enum PublishEvent: Hashable, Sendable {
    case connecting
    /// The server has accepted the stream.
    case connected
    /// The measures of the last seconds.
    case measured(PublishMeasures)
    /// The connection to the server is lost.
    case lost(LiveFailure, retryIn: Duration)
}

/// The measures of a stream that is published.
package struct PublishMeasures: Hashable, Sendable {
    /// The bit rate in bits per second.
    package var bitrate: Double
    /// The video frames sent per second.
    package var frameRate: Double
    /// The number of video frames since the start that were not sent, because the network was too slow.
    package var droppedFrames: Int

    package init(bitrate: Double, frameRate: Double, droppedFrames: Int) {
        (self.bitrate, self.frameRate, self.droppedFrames) = (bitrate, frameRate, droppedFrames)
    }
}
