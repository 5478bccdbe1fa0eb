/// Decides when to repeat a keyframe request if packets arrive but no keyframe.
///
/// The interval doubles with each request up to a limit, because a keyframe takes seconds over a slow link,
/// and each request causes another keyframe.
struct KeyframeWait: Hashable, Sendable {
    private static let shortest = 2
    private static let longest = 8

    private var packets = 0
    private var frames = 0
    /// The current interval between requests, as a number of calls of `isDue`.
    private var pause = shortest
    private var waited = 0

    /// Returns whether to repeat the request; must be called at regular intervals with the total numbers of
    /// received packets and frames.
    mutating func isDue(packets: Int, frames: Int) -> Bool {
        let isStuck = packets > self.packets && frames == self.frames
        if frames > self.frames { (pause, waited) = (Self.shortest, 0) }
        (self.packets, self.frames) = (packets, frames)
        guard isStuck else { return false }
        waited += 1
        guard waited >= pause else { return false }
        (pause, waited) = (min(pause * 2, Self.longest), 0)
        return true
    }
}
