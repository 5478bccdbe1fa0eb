/// Follows what the user does until it is on the screen; times are SDL's milliseconds, which begin anew after 49 days.
struct InputWatch: Hashable, Sendable {
    /// More than one turn of the loop takes.
    private static let limit = 1024
    /// What begins to move looks as before in the frame of the event, and may round to that in the next.
    private static let patience = 3

    private struct Event: Hashable, Sendable {
        var time: UInt32
        /// How many frames since then have looked like the one before.
        var frames = 0
    }

    private var unseen: [Event] = []
    /// By the name of the screen that was shown.
    private(set) var delays: [String: InputDelays] = [:]

    mutating func happened(at time: UInt32) {
        if unseen.count < Self.limit { unseen.append(Event(time: time)) }
    }

    /// All that has happened so far is on the screen.
    mutating func presented(on screen: String, at time: UInt32) {
        for event in unseen { delays[screen, default: InputDelays()].add(Int(time &- event.time)) }
        unseen = []
    }

    /// A frame looks as the one before; nothing will come of what happened long ago, or at all where nothing moves.
    mutating func nothingChanged(isMoving: Bool) {
        for index in unseen.indices { unseen[index].frames += 1 }
        unseen.removeAll { !isMoving || $0.frames >= Self.patience }
    }
}
