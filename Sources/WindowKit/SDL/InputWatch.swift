/// A measurement of the time from a user's input until its effect is on the screen.
///
/// Times are SDL's milliseconds, which wrap after 49 days.
package struct InputWatch: Hashable, Sendable {
    /// The maximum number of pending events, which one iteration of the event loop never reaches.
    private static let limit = 1024
    /// The number of unchanged frames after which an event is dropped.
    ///
    /// An animation that an event starts is not visible in its first frame, and may be too small to see in
    /// the second.
    private static let maximumFrames = 3

    private struct Event: Hashable, Sendable {
        var time: UInt32
        /// The number of unchanged frames since the event.
        var frames = 0
    }

    private var unseen: [Event] = []
    /// The delays by the name of the screen that was shown.
    package private(set) var delays: [String: InputDelays] = [:]

    package init() {}

    package mutating func happened(at time: UInt32) {
        if unseen.count < Self.limit { unseen.append(Event(time: time)) }
    }

    /// Records that the effects of all pending events have been presented.
    package mutating func presented(on screen: String, at time: UInt32) {
        for event in unseen { delays[screen, default: InputDelays()].add(Int(time &- event.time)) }
        unseen = []
    }

    /// Records a frame without changes, and drops the events that can no longer have a visible effect.
    ///
    /// Without an animation, these are all events; otherwise, those followed by `maximumFrames` unchanged frames.
    package mutating func nothingChanged(isMoving: Bool) {
        for index in unseen.indices { unseen[index].frames += 1 }
        unseen.removeAll { !isMoving || $0.frames >= Self.maximumFrames }
    }
}
