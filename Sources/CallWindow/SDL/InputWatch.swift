/// A measurement of the time from a user's input until its effect is on the screen.
///
/// Times are SDL's milliseconds, which wrap after 49 days.
struct InputWatch: Hashable, Sendable {
    /// The maximum number of pending events, more than one iteration of the loop handles.
    private static let limit = 1024
    /// The number of unchanged frames after which an event is dropped.
    ///
    /// An animation looks unchanged in the frame of the event, and may round to that in the next.
    private static let maximumFrames = 3

    private struct Event: Hashable, Sendable {
        var time: UInt32
        /// The number of frames without a change since the event.
        var frames = 0
    }

    private var unseen: [Event] = []
    /// The delays by the name of the screen that was shown.
    private(set) var delays: [String: InputDelays] = [:]

    mutating func happened(at time: UInt32) {
        if unseen.count < Self.limit { unseen.append(Event(time: time)) }
    }

    /// Records that the effect of all events so far is on the screen.
    mutating func presented(on screen: String, at time: UInt32) {
        for event in unseen { delays[screen, default: InputDelays()].add(Int(time &- event.time)) }
        unseen = []
    }

    /// Records that a frame shows no change.
    ///
    /// Old events will have no effect any more, and if nothing moves, no event will.
    mutating func nothingChanged(isMoving: Bool) {
        for index in unseen.indices { unseen[index].frames += 1 }
        unseen.removeAll { !isMoving || $0.frames >= Self.maximumFrames }
    }
}
