internal import CallCore
internal import Synchronization

/// Takes pictures on media threads and keeps the newest of each until the window thread fetches it.
final class PictureMailbox: VideoSink {
    private struct Slot {
        /// The newest picture, not yet fetched; empty if `isNew` is false.
        var newest = PictureBuffer()
        var isNew = false
        var shown = 0
        /// In dBov; nil where nothing is heard.
        var soundLevel: Double?
    }

    private let remote = Mutex(Slot())
    private let local = Mutex(Slot())
    private let redrawIsPosted = Atomic(false)
    private let postRedraw: @Sendable () -> Bool

    /// `postRedraw` tells the window thread that there is something to fetch, from any thread; false if it cannot.
    init(postRedraw: @escaping @Sendable () -> Bool) {
        self.postRedraw = postRedraw
    }

    func show(_ frame: borrowing VideoFrame, from picture: Picture) {
        let isTaken = withSlot(of: picture) { slot in
            let isTaken = slot.newest.copy(frame)
            slot.isNew = slot.isNew || isTaken
            return isTaken
        }
        if isTaken { askForRedraw() }
    }

    func show(soundLevel: Double, of picture: Picture) {
        withSlot(of: picture) { $0.soundLevel = soundLevel }
        askForRedraw()
    }

    func soundLevel(of picture: Picture) -> Double? { withSlot(of: picture) { $0.soundLevel } }

    func forgetSound(of picture: Picture) { withSlot(of: picture) { $0.soundLevel = nil } }

    private func askForRedraw() {
        let isPosted = redrawIsPosted.exchange(true, ordering: .acquiringAndReleasing)
        if !isPosted, !postRedraw() { redrawIsPosted.store(false, ordering: .releasing) }
    }

    /// Says that the posted redraw has arrived: pictures from now on post another.
    func redrawArrived() {
        redrawIsPosted.store(false, ordering: .releasing)
    }

    /// Swaps the newest picture with `buffer`, whose memory is used for a later one; false if there is no new one.
    func fetch(_ picture: Picture, into buffer: inout PictureBuffer) -> Bool {
        withSlot(of: picture) { slot in
            guard slot.isNew else { return false }
            slot.isNew = false
            swap(&slot.newest, &buffer)
            return true
        }
    }

    /// Forgets a picture that has not been fetched.
    func discard(_ picture: Picture) {
        withSlot(of: picture) { $0.isNew = false }
    }

    func countShown(_ picture: Picture) {
        withSlot(of: picture) { $0.shown += 1 }
    }

    func shown(_ picture: Picture) -> Int {
        withSlot(of: picture) { $0.shown }
    }

    private func withSlot<Result: Sendable>(
        of picture: Picture,
        _ body: (inout Slot) -> Result
    ) -> Result {
        switch picture {
        case .remote: remote.withLock { body(&$0) }
        case .local: local.withLock { body(&$0) }
        }
    }
}
