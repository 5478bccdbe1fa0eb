internal import CGStreamer
internal import GLibKit

/// An rtpjitterbuffer, which puts the packets of one SSRC in order.
package struct JitterBuffer: Sendable {
    let element: Element

    /// The time for which packets wait for missing earlier ones, in milliseconds; a change does not interrupt
    /// the stream.
    package var latency: Int { element.int("latency") }

    package func set(latency: Int) { element.set("latency", latency) }

    /// Starts the output as soon as this many consecutive packets have arrived, without waiting for the
    /// latency.
    ///
    /// It must be called before data arrives. An rtpjitterbuffer counts packets only when a packet arrives,
    /// and not while the events at the beginning of the stream are still queued. If the whole first frame
    /// arrived before these events were output, the output would wait for the latency. Therefore the first
    /// packet is blocked until the last of these events has left the jitter buffer.
    package func start(after packets: Int) {
        element.set("faststart-min-packets", packets)
        guard let input = element.pad("sink"), let output = element.pad("src") else { return }
        let block = input.addProbe(
            GST_PAD_PROBE_TYPE_BLOCK,
            GST_PAD_PROBE_TYPE_BUFFER,
            GST_PAD_PROBE_TYPE_BUFFER_LIST
        ) { _, _ in GST_PAD_PROBE_OK }
        let weakInput = WeakObjectRef(input.object)
        output.addProbe(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) { _, info in
            guard gst_pad_probe_info_get_event(info)?.pointee.type == GST_EVENT_SEGMENT else {
                return GST_PAD_PROBE_OK
            }
            weakInput.object.map { Pad($0).removeProbe(block) }
            return GST_PAD_PROBE_REMOVE
        }
    }

    /// Enables or disables retransmission requests for missing packets.
    package func set(retransmission: Bool) { element.set("do-retransmission", retransmission) }

    /// Sets the time in milliseconds after which a retransmission request is repeated; -1 selects the
    /// default.
    ///
    /// By default, a request is repeated after the round trip plus twice the jitter, or after 40 ms as long
    /// as the round trip is unknown.
    package func set(retryTimeout: Int) { element.set("rtx-retry-timeout", retryTimeout) }

    /// Sets the maximum number of requests per packet; with -1, requests continue while the packet can still
    /// arrive in time.
    package func set(maximumRetries: Int) { element.set("rtx-max-retries", maximumRetries) }

    /// Calls `handler` at each retransmission request, on the jitter buffer's thread and under its lock.
    ///
    /// The handler must not access any property of the jitter buffer.
    package func onRetransmissionRequest(_ handler: @escaping @Sendable () -> Void) {
        element.pad("sink")?.onUpstreamEvent { event in
            guard let structure = gst_event_get_structure(event),
                Structure(structure).name == "GstRTPRetransmissionRequest"
            else { return }
            handler()
        }
    }

    /// The time from a retransmission request to the packet's arrival, in seconds; nil before the first
    /// arrival.
    package var roundTrip: Double? {
        let nanoseconds = element.withStructure("stats") { $0.number("rtx-rtt") } ?? nil
        return nanoseconds.flatMap { $0 > 0 ? $0 / 1_000_000_000 : nil }
    }

    /// The number of retransmission requests and of packets that arrived in response, from the element's
    /// `stats`.
    package var retransmissions: (requested: Int, received: Int) {
        element.withStructure("stats") { stats in
            (
                Int(clampingFinite: stats.number("rtx-count")),
                Int(clampingFinite: stats.number("rtx-success-count"))
            )
        } ?? (0, 0)
    }
}

extension Element {
    /// Calls `body` with the structure in a property; nil if there is none.
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
