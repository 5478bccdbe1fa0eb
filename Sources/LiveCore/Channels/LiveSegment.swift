package import Basics

/// A segment of a live stream, in an MPEG transport stream that begins with a keyframe.
package struct LiveSegment: Hashable, Sendable {
    package var bytes: [UInt8]
    package var duration: Duration
    /// The capture time of its first frame.
    package var date: Timestamp
    /// Whether it does not continue the previous segment, because its publisher has connected anew.
    package var isDiscontinuous: Bool

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

/// A packager, which cuts a stream into segments.
package protocol LivePackager: Sendable {
    /// Cuts the stream until it ends or the task is cancelled.
    ///
    /// - Parameter onSegment: Receives the segments in order, shortly after each one has ended.
    /// - Throws: `LiveFailure`.
    func run(_ onSegment: @escaping @Sendable (LiveSegment) -> Void) async throws(LiveFailure)
}
