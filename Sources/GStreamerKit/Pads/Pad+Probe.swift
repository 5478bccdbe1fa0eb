internal import CGStreamer

extension Pad {
    typealias ProbeHandler =
        @Sendable (UnsafeMutablePointer<GstPad>, UnsafeMutablePointer<GstPadProbeInfo>) -> GstPadProbeReturn

    /// Calls `handler` with each item of these kinds, on the streaming thread, before the item passes the
    /// pad.
    ///
    /// The probe lives until it is removed or its pad is gone, and the handler as long as the probe.
    ///
    /// - Returns: the number by which `removeProbe` removes the probe.
    @discardableResult
    func addProbe(_ kinds: GstPadProbeType..., handler: @escaping ProbeHandler) -> gulong {
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

    /// Removes a probe; a streaming thread that it blocks goes on.
    func removeProbe(_ number: gulong) { gst_pad_remove_probe(pointer, number) }
}

/// The handler of a probe, released by the probe's destroy notify.
private final class Probe: Sendable {
    let handler: Pad.ProbeHandler
    init(_ handler: @escaping Pad.ProbeHandler) { self.handler = handler }
}
