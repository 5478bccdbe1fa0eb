internal import GStreamerKit
internal import Synchronization

/// Burns the number of each picture into it, counted from zero.
enum FrameNumber {
    /// Keeps the text of an element `frame-number`, where `pipeline` has one, at the number of the picture.
    static func show(in pipeline: Pipeline) {
        guard let overlay = pipeline.element(named: "frame-number"),
            let pad = overlay.pad("video_sink")
        else { return }
        let weak = WeakElement(overlay)  // its own pad's probe must not keep it alive
        let counter = Counter()
        pad.onBuffer { _ in weak.element?.set("text", "\(counter.next())") }
    }

    private final class Counter: Sendable {
        private let count = Atomic(0)

        func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
    }
}
