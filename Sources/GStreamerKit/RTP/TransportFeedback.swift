internal import CGStreamer

/// The outcome of one packet that we sent, according to the peer's transport-wide feedback.
package struct TransportPacket: Hashable, Sendable {
    /// The transport-wide sequence number in the header extension; it wraps.
    package var sequence: UInt16
    /// The sending time in nanoseconds on our clock.
    package var sent: UInt64
    /// The arrival time in nanoseconds on the peer's clock, whose origin is arbitrary; nil if the packet was
    /// lost.
    package var arrived: UInt64?
    /// The size in bytes, without the IP and UDP headers.
    package var size: Int

    package init(sequence: UInt16, sent: UInt64, arrived: UInt64?, size: Int) {
        (self.sequence, self.sent, self.arrived, self.size) = (sequence, sent, arrived, size)
    }

    /// Parses an entry of rtpmanager's report; nil for any other structure, or if rtpmanager no longer knows
    /// the packet.
    init?(_ structure: Structure) {
        guard gst_structure_has_name(structure.pointer, "RTPTWCCPacket") != 0,
            let number = structure.uint("seqnum").flatMap(UInt16.init(exactly:)),
            let sent = structure.uint64("local-ts"), let size = structure.uint("size"), size <= 65_535
        else { return nil }
        let arrived = structure.bool("lost") == true ? nil : structure.uint64("remote-ts")
        self.init(sequence: number, sent: sent, arrived: arrived, size: Int(size))
    }
}

extension Structure {
    /// The maximum number of packets in a report; a second at 100 Mb/s has fewer.
    private static let maximumPackets = 10_000

    /// The packets of an `RTPTWCCPackets` report in the order of their sequence numbers; empty for any other
    /// structure.
    var transportPackets: [TransportPacket] {
        guard gst_structure_has_name(pointer, "RTPTWCCPackets") != 0,
            let field = gst_structure_get_value(pointer, "packets"),
            callrunner_value_holds(field, g_type_from_name("GValueArray")) != 0,
            let boxed = g_value_get_boxed(field)
        else { return [] }
        let array = boxed.assumingMemoryBound(to: GValueArray.self).pointee
        guard let values = array.values else { return [] }
        return (0..<min(Int(array.n_values), Self.maximumPackets)).compactMap { index in
            guard callrunner_value_holds(values + index, callrunner_type_structure()) != 0,
                let entry = gst_value_get_structure(values + index)
            else { return nil }
            return TransportPacket(Structure(entry))
        }
    }

    /// Reads a time in nanoseconds; nil if the field holds none.
    fileprivate func uint64(_ field: String) -> UInt64? {
        var value: guint64 = 0
        guard gst_structure_get_uint64(pointer, field, &value) != 0, value != guint64.max else { return nil }
        return UInt64(value)
    }

    fileprivate func bool(_ field: String) -> Bool? {
        var value: gboolean = 0
        return gst_structure_get_boolean(pointer, field, &value) != 0 ? value != 0 : nil
    }
}

extension Pad {
    /// Calls `handler` with each transport-wide feedback that passes upstream, on the thread that received
    /// it.
    ///
    /// rtpmanager sends the feedback to every pad that sends packets of the session. The probe exists as long
    /// as the pad.
    package func onTransportFeedback(_ handler: @escaping @Sendable ([TransportPacket]) -> Void) {
        onUpstreamEvent { event in
            guard let structure = gst_event_get_structure(event) else { return }
            let packets = Structure(structure).transportPackets
            if !packets.isEmpty { handler(packets) }
        }
    }
}
