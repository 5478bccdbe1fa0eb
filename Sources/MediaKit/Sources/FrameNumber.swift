internal import GStreamerKit
internal import Synchronization

/// Overlays each video frame with its number, counted from zero.
enum FrameNumber {
    /// Sets the text of the overlay element `frame-number` to the number of each frame, if `pipeline`
    /// contains that element.
    static func show(in pipeline: Pipeline) {
        guard let overlay = pipeline.element(named: "frame-number"),
            let pad = overlay.pad("video_sink")
        else { return }
        let weak = WeakElement(overlay)  // the probe must not keep the element that owns the pad alive
        let counter = Counter()
        pad.onBuffer { _ in weak.element?.set("text", "\(counter.next())") }
    }

    private final class Counter: Sendable {
        private let count = Atomic(0)

        func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
    }
}
