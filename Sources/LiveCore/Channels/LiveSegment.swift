package import Basics

/// A segment of a live stream: an MPEG transport stream that begins with a keyframe.
package struct LiveSegment: Hashable, Sendable {
    package var bytes: [UInt8]
    package var duration: Duration
    /// The capture time of its first frame.
    package var date: Timestamp
    /// Whether the segment does not continue the previous one, because its publisher has reconnected.
    package var isDiscontinuous: Bool
    /// The same frames for a recording; nil if the stream is not recorded.
    package var movie: MovieFragment?

    package init(
        _ bytes: [UInt8],
        _ duration: Duration,
        date: Timestamp,
        isDiscontinuous: Bool = false
    ) {
        (self.bytes, self.duration) = (bytes, duration)
        (self.date, self.isDiscontinuous) = (date, isDiscontinuous)
    }
}

/// A packager, which divides a stream into segments.
package protocol LivePackager: Sendable {
    /// Divides the stream into segments until it ends or the task is cancelled.
    ///
    /// - Parameter onSegment: Receives the segments in order, shortly after each one has ended.
    /// - Throws: `LiveFailure`.
    func run(_ onSegment: @escaping @Sendable (LiveSegment) -> Void) async throws(LiveFailure)
}
