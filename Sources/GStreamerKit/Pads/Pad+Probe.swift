internal import CGStreamer

extension Pad {
    typealias ProbeHandler =
        @Sendable (UnsafeMutablePointer<GstPad>, UnsafeMutablePointer<GstPadProbeInfo>) -> GstPadProbeReturn

    /// Calls `handler` with what passes of these kinds, on the thread that brings it, before it passes.
    ///
    /// The probe goes with the pad, and the handler with the probe.
    func addProbe(_ kinds: GstPadProbeType..., handler: @escaping ProbeHandler) {
        gst_pad_add_probe(
            pointer,
            GstPadProbeType(rawValue: kinds.reduce(0) { $0 | $1.rawValue }),
            { pad, info, data in
                guard let pad, let info, let data else { return GST_PAD_PROBE_OK }
                return Unmanaged<Probe>.fromOpaque(data).takeUnretainedValue().handler(pad, info)
            },
            Unmanaged.passRetained(Probe(handler)).toOpaque(),
            { data in
                guard let data else { return }
                Unmanaged<Probe>.fromOpaque(data).release()
            }
        )
    }
}

/// What a probe holds, released by its own destroy notify.
private final class Probe: Sendable {
    let handler: Pad.ProbeHandler
    init(_ handler: @escaping Pad.ProbeHandler) { self.handler = handler }
}
