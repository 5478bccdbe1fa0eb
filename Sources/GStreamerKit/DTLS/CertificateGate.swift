internal import CGStreamer
internal import GLibKit
internal import Synchronization

/// A gate that blocks the media of one transport in both directions until the peer's DTLS certificate is accepted.
///
/// GStreamer 1.22 accepts any certificate, so the gate checks it during the handshake, before keys exist. A
/// refusal closes the gate permanently: it then blocks media and DTLS, and its owner ends the call attempt.
///
/// Once a certificate has been accepted, forbidden handshake data is dropped and has no other effect, because it is
/// unauthenticated: anybody may have sent it.
package final class CertificateGate: Sendable {
    private enum State { case waiting, open, shut }

    private let state = Mutex(State.waiting)
    private let inspection = Mutex(DTLSInspection())
    /// Whether the handshake is over.
    private let isEstablished = Atomic(false)
    /// The limit on datagrams after the handshake, such as retransmissions of its last flight, and closure alerts.
    private let later = Mutex(Allowance(maximum: 50, perSecond: 1))
    /// The value of `GST_DTLS_CONNECTION_STATE_CONNECTED`.
    private static let connected = 4
    private let judge: @Sendable (_ pem: String) -> Bool
    private let refuse: @Sendable (_ reason: String) -> Void

    /// Creates a gate that waits for a certificate.
    ///
    /// - Parameters:
    ///   - judge: Decides whether a certificate is the peer's; may be called several times, on a streaming thread.
    ///   - refuse: Called with the reason when a handshake arrives that must not be processed at all, unless a
    ///     certificate was accepted before. Anybody may have sent the handshake, so another attempt may succeed.
    package init(
        judge: @escaping @Sendable (_ pem: String) -> Bool,
        refuse: @escaping @Sendable (_ reason: String) -> Void
    ) {
        (self.judge, self.refuse) = (judge, refuse)
    }

    /// Installs the gate on an element that was just added to webrtcbin's transport.
    func guardElement(_ element: Element) {
        switch element.factoryName {
        case "nicesrc": if let pad = element.pad("src") { guardMedia(pad) }
        case "nicesink": if let pad = element.pad("sink") { guardMedia(pad) }
        case "dtlsdec": guardHandshake(element)
        default: break
        }
    }

    /// Drops media on `pad` until the gate opens; a gate that is shut drops all packets.
    func guardMedia(_ pad: Pad) {
        pad.addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) { [self] _, info in
            switch state.withLock({ $0 }) {
            case .open: GST_PAD_PROBE_OK
            case .shut: GST_PAD_PROBE_DROP
            case .waiting: Self.hasMedia(info) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
            }
        }
    }

    /// Observes the certificate that `decoder` reports, and inspects all DTLS records before it reads them.
    ///
    /// This costs little, because few records follow the handshake.
    private func guardHandshake(_ decoder: Element) {
        // The decoder's own pad and closures must not keep it alive.
        let weak = WeakElement(decoder)
        decoder.object.connect("notify::peer-pem") { [self] _ in
            if let pem = weak.element?.string("peer-pem") { handle(pem: pem) }
        }
        decoder.object.connect("notify::connection-state") { [self] _ in
            if weak.element?.int("connection-state") == Self.connected { endHandshake() }
        }
        if let pad = decoder.pad("sink") { guardRecords(pad) }
    }

    /// Checks the certificate of a handshake and opens or closes the gate.
    func handle(pem: String) {
        let isAccepted = judge(pem)
        state.withLock { $0 = isAccepted && $0 != .shut ? .open : .shut }
    }

    /// Limits the number of datagrams that pass from now on.
    func endHandshake() { isEstablished.store(true, ordering: .relaxed) }

    /// Inspects each DTLS datagram before OpenSSL reads it.
    func guardRecords(_ pad: Pad) {
        pad.addProbe(GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST) {
            [self] _, info in
            // Buffer lists do not arrive here: dtlssrtpdemux splits them.
            guard state.withLock({ $0 != .shut }), let buffer = gst_pad_probe_info_get_buffer(info) else {
                return GST_PAD_PROBE_DROP
            }
            return passes(buffer.bytes(limit: Int.max)) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
        }
    }

    private func passes(_ datagram: [UInt8]) -> Bool {
        switch inspection.withLock({ $0.inspect(datagram) }) {
        case .pass:
            guard isEstablished.load(ordering: .relaxed) else { return true }
            return later.withLock { $0.take(1, at: MediaClock.shared.now) }
        case .drop: return false
        case .refuse(let reason):
            let isShut = state.withLock { state in
                if state == .waiting { state = .shut }
                return state == .shut
            }
            if isShut { refuse(reason) }
            return false
        }
    }

    private static func hasMedia(_ info: UnsafeMutablePointer<GstPadProbeInfo>) -> Bool {
        guard info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0 else {
            return gst_pad_probe_info_get_buffer(info).map(isMedia) ?? false
        }
        guard let list = gst_pad_probe_info_get_buffer_list(info) else { return false }
        return (0..<gst_buffer_list_length(list)).contains { index in
            gst_buffer_list_get(list, index).map(isMedia) ?? false
        }
    }

    /// Checks whether the first byte is that of SRTP or SRTCP (RFC 7983 §7).
    private static func isMedia(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        buffer.bytes(limit: 1).first.map { (128...191).contains($0) } ?? false
    }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// Copies at most the first `limit` bytes of the buffer.
    fileprivate func bytes(limit: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Swift.min(Int(gst_buffer_get_size(self)), limit)) {
            bytes,
            count in
            count = Int(gst_buffer_extract(self, 0, bytes.baseAddress, gsize(bytes.count)))
        }
    }
}

extension WebRTCBin {
    /// Installs a separate gate in every transport that is created from now on.
    ///
    /// - Parameter makeGate: Creates the gate of a transport; called on the thread that creates the transport.
    package func installGates(_ makeGate: @escaping @Sendable () -> CertificateGate) {
        let gates = Mutex<[UInt: CertificateGate]>([:])
        object.connect("deep-element-added") { arguments in
            guard let element = arguments.object(2).map(Element.init),
                ["nicesrc", "nicesink", "dtlsdec"].contains(element.factoryName)
            else { return }
            let transport = element.transport
            let gate = gates.withLock { gates in
                let gate = gates[transport] ?? makeGate()
                gates[transport] = gate
                return gate
            }
            gate.guardElement(element)
        }
    }
}

extension Element {
    /// The address of the transport to which an element in webrtcbin belongs; 0 if it is unknown.
    ///
    /// The transport is a property of webrtcbin's bins for receiving and sending.
    fileprivate var transport: UInt {
        var bin = parent
        while let current = bin {
            if current.has("stream"), let stream = current.objectProperty("stream") {
                return UInt(bitPattern: stream.pointer)
            }
            bin = current.parent
        }
        return 0
    }
}
