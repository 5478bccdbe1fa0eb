internal import CSDL
internal import CallCore
internal import Synchronization

/// Takes pictures on media threads and keeps the newest of each until the window thread fetches it.
final class LatestFrame: VideoSink {
    private struct Slot {
        /// The newest picture, if it has not been fetched yet.
        var newest: VideoFrame?
        var shown = 0
        /// When the last one came, in milliseconds.
        var lastTime: UInt64?
        /// In dBov, and when that was; nil where nothing is heard.
        var sound: (level: Double, time: UInt64)?
    }

    /// For how long a picture lets what is less urgent wait for the next, in milliseconds: twenty come a second or more.
    private static let patience: UInt64 = 50
    /// For how long a level holds, in milliseconds.
    private static let soundLifetime: UInt64 = 500

    private let remote = Mutex(Slot())
    private let local = Mutex(Slot())
    private let redrawIsPosted = Atomic(false)
    private let isClosed = Atomic(false)
    private let clock: @Sendable () -> UInt64
    private let postRedraw: @Sendable () -> Bool

    /// `postRedraw` tells the window thread that there is something to fetch, from any thread; false if it cannot.
    ///
    /// `clock` counts milliseconds.
    init(
        clock: @escaping @Sendable () -> UInt64 = { SDL_GetTicks64() },
        postRedraw: @escaping @Sendable () -> Bool
    ) {
        self.clock = clock
        self.postRedraw = postRedraw
    }

    func show(_ frame: VideoFrame, from side: MediaSide) {
        guard !isClosed.load(ordering: .acquiring) else { return }
        let now = clock()
        // The one before goes back to its decoder, which is no work for under a lock.
        _ = withSlot(of: side) { slot in
            defer { (slot.newest, slot.lastTime) = (frame, now) }
            return slot.newest
        }
        // Each redraw costs the whole window: our own picture is shown with the peer's while that comes.
        if side == .remote || !isAwaited(.remote, at: now) { askForRedraw() }
    }

    func show(audioLevel: Double, of side: MediaSide) {
        let now = clock()
        withSlot(of: side) { $0.sound = (audioLevel, now) }
        if !isAwaited(.remote, at: now), !isAwaited(.local, at: now) { askForRedraw() }
    }

    private func isAwaited(_ side: MediaSide, at now: UInt64) -> Bool {
        withSlot(of: side) { slot in slot.lastTime.map { now < $0 + Self.patience } ?? false }
    }

    /// How long ago the last picture came, in milliseconds; nil before the first.
    func silence(of side: MediaSide) -> UInt64? {
        let now = clock()
        return withSlot(of: side) { slot in slot.lastTime.map { now - min($0, now) } }
    }

    /// In dBov; nil where nothing has been heard of late.
    func audioLevel(of side: MediaSide) -> Double? {
        let now = clock()
        return withSlot(of: side) { slot in
            slot.sound.flatMap { now < $0.time + Self.soundLifetime ? $0.level : nil }
        }
    }

    func forgetAudioLevel(of side: MediaSide) { withSlot(of: side) { $0.sound = nil } }

    private func askForRedraw() {
        let isPosted = redrawIsPosted.exchange(true, ordering: .acquiringAndReleasing)
        if !isPosted, !postRedraw() { redrawIsPosted.store(false, ordering: .releasing) }
    }

    /// Says that the posted redraw has arrived: pictures from now on post another.
    func redrawArrived() {
        redrawIsPosted.store(false, ordering: .releasing)
    }

    /// Hands out the newest picture once; nil if there is no new one.
    func fetch(_ side: MediaSide) -> VideoFrame? {
        withSlot(of: side) { slot in
            defer { slot.newest = nil }
            return slot.newest
        }
    }

    /// Forgets a picture that has not been fetched.
    func discard(_ side: MediaSide) {
        _ = fetch(side)
        withSlot(of: side) { $0.lastTime = nil }
    }

    /// Takes nothing any more, and holds nothing.
    func close() {
        isClosed.store(true, ordering: .releasing)
        for side in MediaSide.allCases { discard(side) }
    }

    func countShown(_ side: MediaSide) {
        withSlot(of: side) { $0.shown += 1 }
    }

    func shown(_ side: MediaSide) -> Int {
        withSlot(of: side) { $0.shown }
    }

    private func withSlot<Result: Sendable>(
        of side: MediaSide,
        _ body: (inout Slot) -> Result
    ) -> Result {
        switch side {
        case .remote: remote.withLock { body(&$0) }
        case .local: local.withLock { body(&$0) }
        }
    }
}
