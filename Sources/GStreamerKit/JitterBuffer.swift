internal import CGStreamer
internal import GLibKit
internal import Synchronization

/// An rtpjitterbuffer: the packets of one SSRC, put in order.
package struct JitterBuffer: Sendable {
    let element: Element

    /// How long packets wait for those before them, in milliseconds; changing it interrupts nothing.
    package var latency: Int { element.int("latency") }

    package func set(latency: Int) { element.set("latency", latency) }

    /// Whether packets that do not come are asked for again.
    package func set(retransmission: Bool) { element.set("do-retransmission", retransmission) }

    /// How long a packet that was asked for may take before it is asked for again, in milliseconds; -1 is its own choice.
    ///
    /// By itself it asks once a round trip, and every 40 ms before it knows that.
    package func set(retryTimeout: Int) { element.set("rtx-retry-timeout", retryTimeout) }

    /// How often a packet is asked for at most; -1 for as long as it may come in time.
    package func set(mostRetries: Int) { element.set("rtx-max-retries", mostRetries) }

    /// Calls `handler` each time a packet is asked for again, on the jitter buffer's thread and under its lock.
    ///
    /// It may touch no property of the jitter buffer.
    package func onRetransmissionRequest(_ handler: @escaping @Sendable () -> Void) {
        element.pad("sink")?.onUpstreamEvent { event in
            guard let structure = gst_event_get_structure(event),
                Structure(structure).name == "GstRTPRetransmissionRequest"
            else { return }
            handler()
        }
    }

    /// From asking for a packet to its coming, in seconds; nil before any came so.
    package var roundTrip: Double? {
        let nanoseconds = element.withStructure("stats") { $0.number("rtx-rtt") } ?? nil
        return nanoseconds.flatMap { $0 > 0 ? $0 / 1_000_000_000 : nil }
    }

    /// Packets asked for again, and those of them that came, as webrtcbin's own counts.
    package var retransmissions: (requested: Int, received: Int) {
        element.withStructure("stats") { stats in
            (
                Int(clampingFinite: stats.number("rtx-count")),
                Int(clampingFinite: stats.number("rtx-success-count"))
            )
        } ?? (0, 0)
    }
}

extension Pad {
    private static let isRepetition = "is-repetition"

    /// Has the element take the first request for each packet twice while `isWanted` says so.
    ///
    /// Whoever asks again before an answer can come gets one for each, and needs no second of them.
    func repeatRetransmissionRequests(while isWanted: @escaping @Sendable () -> Bool) {
        let pad = WeakObjectRef(object)
        let known = Mutex(RecentRequests())
        onUpstreamEvent { event in
            guard let structure = gst_event_get_structure(event),
                Structure(structure).name == "GstRTPRetransmissionRequest",
                gst_structure_has_field(structure, Self.isRepetition) == 0, isWanted(),
                known.withLock({ $0.isFirst(Structure(structure).number("seqnum")) }),
                let object = pad.object, let copy = gst_structure_copy(structure)
            else { return }
            callrunner_structure_mark(copy, Self.isRepetition)
            gst_pad_send_event(Pad(object).pointer, gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, copy))
        }
    }
}

/// The sequence numbers of packets that were asked for lately.
struct RecentRequests: Sendable {
    private static let most = 128

    private var numbers: [Double] = []
    private var next = 0

    /// Whether this one was not asked for lately; it has been from now on.
    mutating func isFirst(_ number: Double?) -> Bool {
        guard let number, !numbers.contains(number) else { return false }
        if numbers.count < Self.most {
            numbers.append(number)
        } else {
            numbers[next] = number
            next = (next + 1) % Self.most
        }
        return true
    }
}

extension Element {
    /// Reads a property that holds a structure; nil where there is none.
    func withStructure<Result>(_ property: String, _ body: (Structure) -> Result) -> Result? {
        var value = GValue()
        g_object_get_property(object.pointer, property, &value)
        guard value.g_type != 0 else { return nil }
        defer { g_value_unset(&value) }
        guard callrunner_value_holds(&value, callrunner_type_structure()) != 0,
            let structure = gst_value_get_structure(&value)
        else { return nil }
        return body(Structure(structure))
    }
}
