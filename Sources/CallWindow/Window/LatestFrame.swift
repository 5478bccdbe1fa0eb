internal import Basics
internal import CSDL
internal import Synchronization
internal import WindowKit

/// A sink that keeps the newest remote frame and the newest local frame until the window thread fetches them.
///
/// The media thread that delivers a frame also scales it to its displayed size.
final class LatestFrame: VideoSink {
    private struct Slot {
        /// The newest frame, if it has not been fetched yet.
        var newest: SizedFrame?
        /// The size to which new frames are scaled; nil if they are not scaled.
        var shownSize: ShownSize?
        var shown = 0
        /// The number of times that frames were discarded; if it changes while a frame is scaled, that frame
        /// is dropped.
        var discards = 0
        /// The arrival time of the last frame, in milliseconds; nil before the first one and after
        /// `discard`.
        var lastTime: UInt64?
        /// The audio level in dBov with its time in milliseconds; nil if there is no audio.
        var audioLevel: (level: Double, time: UInt64)?
    }

    /// The time in milliseconds within which the next frame is expected: the frame interval at 20 frames per second.
    ///
    /// While a remote frame is expected, local frames request no redraw, and while any frame is expected,
    /// audio levels request none: the expected frame requests one.
    private static let freshness: UInt64 = 50
    /// The time for which an audio level is valid, in milliseconds.
    private static let audioLevelLifetime: UInt64 = 500

    private let remote = Mutex(Slot())
    private let local = Mutex(Slot())
    private let remoteScaler = Mutex(FrameScaler())
    private let localScaler = Mutex(FrameScaler())
    private let redrawIsPosted = Atomic(false)
    private let isHidden = Atomic(false)
    /// The height in pixels at which the remote frames are shown; 0 if they are not shown.
    private let height = Atomic(0)
    private let isClosed = Atomic(false)
    private let clock: @Sendable () -> UInt64
    private let postRedraw: @Sendable () -> Bool

    /// Creates a sink; `clock` returns milliseconds.
    ///
    /// `postRedraw` requests a redraw from the window thread and returns false on failure; it is called on
    /// any thread.
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
        let discards = withSlot(of: side) { $0.discards }
        let sized = SizedFrame(original: frame, pixels: pixels(of: frame, from: side))
        // The previous frame is passed out of the closure, so that it is released outside the lock.
        let (isCurrent, _) = withSlot(of: side) { slot in
            guard slot.discards == discards else { return (false, nil as SizedFrame?) }
            defer { (slot.newest, slot.lastTime) = (sized, now) }
            return (true, slot.newest)
        }
        guard isCurrent else { return }
        // A redraw is expensive, so while remote frames arrive, local frames are drawn together with them.
        if side == .remote || !isAwaited(.remote, at: now) { requestRedraw() }
    }

    private func pixels(of frame: VideoFrame, from side: MediaSide) -> VideoFrame? {
        guard !isHidden.load(ordering: .relaxed), let shown = withSlot(of: side, { $0.shownSize }) else {
            return nil
        }
        let size = shown.size(of: frame.shape)
        return switch side {
        case .remote: remoteScaler.withLock { $0.pixels(of: frame, in: size) }
        case .local: localScaler.withLock { $0.pixels(of: frame, in: size) }
        }
    }

    /// Sets the size to which new frames of one side of the call are scaled; nil if they are not scaled.
    func setShownSize(_ size: ShownSize?, of side: MediaSide) { withSlot(of: side) { $0.shownSize = size } }

    var shownHeight: Int? {
        let height = height.load(ordering: .relaxed)
        return height > 0 ? height : nil
    }

    /// Sets the height in pixels at which the remote frames are shown; nil if they are not shown.
    func setShownHeight(_ height: Int?) { self.height.store(height ?? 0, ordering: .relaxed) }

    /// Sets whether the window is hidden; while it is, frames are neither scaled nor drawn.
    func setHidden(_ hidden: Bool) { isHidden.store(hidden, ordering: .relaxed) }

    var isSeen: Bool { !isHidden.load(ordering: .relaxed) }

    func show(audioLevel: Double, of side: MediaSide) {
        let now = clock()
        withSlot(of: side) { $0.audioLevel = (audioLevel, now) }
        if !isAwaited(.remote, at: now), !isAwaited(.local, at: now) { requestRedraw() }
    }

    private func isAwaited(_ side: MediaSide, at now: UInt64) -> Bool {
        withSlot(of: side) { slot in slot.lastTime.map { now < $0 + Self.freshness } ?? false }
    }

    /// Computes the milliseconds since the last frame; nil before the first one, and after `discard` until
    /// the next one.
    func silence(of side: MediaSide) -> UInt64? {
        let now = clock()
        return withSlot(of: side) { slot in slot.lastTime.map { now - min($0, now) } }
    }

    /// Looks up the audio level in dBov; nil if there is no recent one.
    func audioLevel(of side: MediaSide) -> Double? {
        let now = clock()
        return withSlot(of: side) { slot in
            slot.audioLevel.flatMap { now < $0.time + Self.audioLevelLifetime ? $0.level : nil }
        }
    }

    func forgetAudioLevel(of side: MediaSide) { withSlot(of: side) { $0.audioLevel = nil } }

    private func requestRedraw() {
        guard !isHidden.load(ordering: .relaxed) else { return }
        let isPosted = redrawIsPosted.exchange(true, ordering: .acquiringAndReleasing)
        if !isPosted, !postRedraw() { redrawIsPosted.store(false, ordering: .releasing) }
    }

    /// Records that the window thread has received the redraw request, so that later frames send another.
    func redrawArrived() {
        redrawIsPosted.store(false, ordering: .releasing)
    }

    /// Removes and returns the newest frame; nil if none has arrived since the last call.
    func fetch(_ side: MediaSide) -> SizedFrame? {
        withSlot(of: side) { slot in
            defer { slot.newest = nil }
            return slot.newest
        }
    }

    /// Discards a frame that has not been fetched, and one that is being scaled.
    func discard(_ side: MediaSide) {
        _ = withSlot(of: side) { slot in
            defer { (slot.newest, slot.lastTime, slot.discards) = (nil, nil, slot.discards + 1) }
            return slot.newest
        }
    }

    /// Discards all frames and accepts no more.
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
