internal import CGStreamer
internal import GLibKit
internal import Synchronization

extension WebRTCBin {
    /// Makes received packets bypass the queue behind the socket while the queue is empty.
    ///
    /// webrtcbin needs the queue until its transport may receive. After that, the queue would only wake
    /// another thread for each packet.
    ///
    /// The number of packets in the queue is limited, because webrtcbin only limits their bytes: while nothing may be
    /// received, millions of tiny packets would fit.
    func bypassReceiveQueue() {
        object.connect("deep-element-added") { arguments in
            guard let bin = arguments.object(1), bin.typeName == "TransportReceiveBin",
                let queue = arguments.object(2).map(Element.init), queue.factoryName == "queue",
                let input = queue.pad("sink"), let output = queue.pad("src")
            else { return }
            queue.set("max-size-buffers", Self.maximumQueuedPackets)
            input.bypassQueue(to: output)
        }
    }

    private static let maximumQueuedPackets = 2000
}

extension Pad {
    /// Pushes the buffers that arrive at this sink pad of a queue directly from its source pad `output`,
    /// while the queue is empty.
    ///
    /// The first buffer and the events before it go through the queue.
    func bypassQueue(to output: Pad) {
        let level = QueueLevel()
        output.addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, _ in
            level.left()
            return GST_PAD_PROBE_OK
        }
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { _, info in
            // Pushing from a blocked pad would block the thread that reads the socket.
            guard level.entered(), gst_pad_is_blocked(output.pointer) == 0,
                let buffer = gst_pad_probe_info_get_buffer(info)
            else { return GST_PAD_PROBE_OK }
            info.pointee.data = nil  // gst_pad_push takes ownership of the buffer
            callrunner_probe_set_flow(info, gst_pad_push(output.pointer, buffer))
            return GST_PAD_PROBE_HANDLED
        }
    }
}

/// The number of buffers in a queue, and whether the first one has left it.
///
/// A buffer that a leaky queue drops stays in the count, which ends the bypass permanently.
private final class QueueLevel: Sendable {
    private let inside = Atomic(0)
    private let hasBegun = Atomic(false)

    /// Counts an entering buffer; returns true if the queue was empty and a buffer had left it before.
    func entered() -> Bool {
        let before = inside.add(1, ordering: .acquiringAndReleasing).oldValue
        return before == 0 && hasBegun.load(ordering: .acquiring)
    }

    func left() {
        hasBegun.store(true, ordering: .releasing)
        inside.subtract(1, ordering: .acquiringAndReleasing)
    }
}
