internal import GStreamerKit
internal import Synchronization

/// Draws the number of each frame into it, counted from zero.
enum FrameNumber {
    /// Keeps the text of the element `frame-number` of `pipeline`, if any, at the number of the current
    /// frame.
    static func show(in pipeline: Pipeline) {
        guard let overlay = pipeline.element(named: "frame-number"),
            let pad = overlay.pad("video_sink")
        else { return }
        let weak = WeakElement(overlay)  // the probe on its own pad must not keep it alive
        let counter = Counter()
        pad.onBuffer { _ in weak.element?.set("text", "\(counter.next())") }
    }

    private final class Counter: Sendable {
        private let count = Atomic(0)

        func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
    }
}
