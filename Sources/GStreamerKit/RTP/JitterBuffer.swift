internal import CGStreamer
internal import GLibKit

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

    /// Has the element take each request for a packet twice that `isWanted`, given its sequence number.
    func repeatRetransmissionRequests(where isWanted: @escaping @Sendable (Double) -> Bool) {
        let pad = WeakObjectRef(object)
        onUpstreamEvent { event in
            guard let structure = gst_event_get_structure(event),
                Structure(structure).name == "GstRTPRetransmissionRequest",
                gst_structure_has_field(structure, Self.isRepetition) == 0,
                let number = Structure(structure).number("seqnum"), isWanted(number),
                let object = pad.object, let copy = gst_structure_copy(structure)
            else { return }
            callrunner_structure_mark(copy, Self.isRepetition)
            gst_pad_send_event(Pad(object).pointer, gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, copy))
        }
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
