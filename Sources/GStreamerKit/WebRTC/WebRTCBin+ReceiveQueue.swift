internal import CGStreamer
internal import GLibKit
internal import Synchronization

extension WebRTCBin {
    /// Makes received packets bypass the queue behind the socket while the queue is empty.
    ///
    /// webrtcbin uses the queue until its transport may receive. After that it would only wake another thread
    /// for each packet.
    func bypassReceiveQueue() {
        object.connect("deep-element-added") { arguments in
            guard let bin = arguments.object(1), bin.typeName == "TransportReceiveBin",
                let queue = arguments.object(2).map(Element.init), queue.factoryName == "queue",
                let input = queue.pad("sink"), let output = queue.pad("src")
            else { return }
            input.bypassQueue(to: output)
        }
    }
}

extension Pad {
    /// Pushes buffers from `output`, the source pad of the queue with this sink pad, while the queue is
    /// empty.
    ///
    /// The first buffer goes through the queue, and with it the events that begin the stream.
    func bypassQueue(to output: Pad) {
        let level = QueueLevel()
        output.addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, _ in
            level.left()
            return GST_PAD_PROBE_OK
        }
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, info in
            // A blocked pad would stop the thread of the socket.
            guard level.entered(), gst_pad_is_blocked(output.pointer) == 0,
                let buffer = gst_pad_probe_info_get_buffer(info)
            else { return GST_PAD_PROBE_OK }
            info.pointee.data = nil  // gst_pad_push takes the buffer
            callrunner_probe_set_flow(info, gst_pad_push(output.pointer, buffer))
            return GST_PAD_PROBE_HANDLED
        }
    }
}

/// The number of buffers in a queue, and whether the first one has left it.
///
/// A buffer that the queue leaks counts as inside forever, which ends the bypass.
private final class QueueLevel: Sendable {
    private let inside = Atomic(0)
    private let hasBegun = Atomic(false)

    /// Counts a buffer and returns whether the queue was empty before it but had been used earlier.
    func entered() -> Bool {
        let before = inside.add(1, ordering: .acquiringAndReleasing).oldValue
        return before == 0 && hasBegun.load(ordering: .acquiring)
    }

    func left() {
        hasBegun.store(true, ordering: .releasing)
        inside.subtract(1, ordering: .acquiringAndReleasing)
    }
}
