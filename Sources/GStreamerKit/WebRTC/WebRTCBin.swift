internal import Basics
internal import CGStreamer
internal import GLibKit
internal import Glibc
internal import Synchronization

/// A peer connection, implemented by GStreamer's webrtcbin (1.22).
package final class WebRTCBin: Element, @unchecked Sendable {  // GstElement locks itself
    package enum DescriptionType: Sendable {
        case offer, answer

        fileprivate var raw: GstWebRTCSDPType {
            self == .offer ? GST_WEBRTC_SDP_TYPE_OFFER : GST_WEBRTC_SDP_TYPE_ANSWER
        }
    }

    package struct LocalCandidate: Hashable, Sendable {
        package let mLineIndex: Int
        package let candidate: String
    }

    /// The states of `RTCPeerConnectionState`, as webrtcbin numbers them.
    package enum ConnectionState: Int, Sendable {
        case new, connecting, connected, disconnected, failed, closed
    }
    /// The states of `RTCIceConnectionState`, as webrtcbin numbers them.
    package enum ICEConnectionState: Int, Sendable {
        case new, checking, connected, completed, failed, disconnected, closed
    }

    /// The inner elements of webrtcbin that are adjusted while it runs.
    package let internals: RTPInternals

    /// The interval of RTCP reports, in milliseconds.
    ///
    /// With the five seconds of RFC 3550, the round-trip time would be outdated, and after one lost report a
    /// peer with its camera off would seem to be disconnected.
    private static let reportInterval = 500

    /// Creates a peer connection.
    ///
    /// - Parameters:
    ///   - latencyMs: The initial latency of the jitter buffers, in milliseconds.
    ///   - correctsErrors: Whether lost packets are recovered from redundant ones (RFC 5109).
    /// - Throws: `GStreamerError.missingElement`.
    package init(latencyMs: Int, correctsErrors: Bool = false) throws(GStreamerError) {
        GStreamer.start()
        guard let element = gst_element_factory_make("webrtcbin", nil) else {
            throw .missingElement("webrtcbin")
        }
        let object = ObjectRef(sinking: element)
        internals = RTPInternals(
            of: Bin(object),
            reportInterval: Self.reportInterval,
            correctsErrors: correctsErrors
        )
        super.init(object)
        set("bundle-policy", parsing: "max-bundle")  // the default bundles nothing
        set("latency", latencyMs)
        // By default, libnice looks for UPnP gateways and opens an HTTP server per connection; browsers do
        // not.
        niceAgent?.set("upnp", false)
        // webrtcbin cannot use local TCP candidates; TURN over TCP is not affected.
        niceAgent?.set("ice-tcp", false)
        widenReceiveBuffer()
        bypassReceiveQueue()
    }

    /// The libnice agent behind webrtcbin's ICE agent.
    var niceAgent: Element? {
        objectProperty("ice-agent").flatMap { Element($0).objectProperty("agent") }.map(Element.init)
    }

    // MARK: Signals, each stream with a single consumer

    package func localCandidates() -> AsyncStream<LocalCandidate> {
        object.emissions(of: "on-ice-candidate") { arguments in
            LocalCandidate(mLineIndex: Int(arguments.uint(1)), candidate: arguments.string(2) ?? "")
        }
    }

    package func connectionStates() -> AsyncStream<ConnectionState> {
        let connection = WeakObjectRef(object)
        return object.emissions(of: "notify::connection-state") { _ in
            guard let object = connection.object else { return .closed }
            return ConnectionState(rawValue: Element(object).int("connection-state")) ?? .closed
        }
    }

    package func iceConnectionStates() -> AsyncStream<ICEConnectionState> {
        let connection = WeakObjectRef(object)
        return object.emissions(of: "notify::ice-connection-state") { _ in
            guard let object = connection.object else { return .closed }
            return ICEConnectionState(rawValue: Element(object).int("ice-connection-state")) ?? .closed
        }
    }

    /// Uses this certificate for DTLS instead of GStreamer's own RSA certificate; to be called before any
    /// description is set.
    ///
    /// webrtcbin has no property for it, but its `dtlsdec` elements do.
    package func useCertificate(pem: String) {
        object.connect("deep-element-added") { arguments in
            guard let object = arguments.object(2) else { return }
            let element = Element(object)
            if element.factoryName == "dtlsdec" { element.set("pem", pem) }
        }
    }

    /// Calls `handler` for each packet that the ICE transport delivers: DTLS, SRTP and SRTCP.
    package func onTransportPacket(_ handler: @escaping @Sendable (_ bytes: Int) -> Void) {
        object.connect("deep-element-added") { arguments in
            guard let object = arguments.object(2) else { return }
            let element = Element(object)
            guard element.factoryName == "nicesrc", let pad = element.pad("src") else { return }
            pad.onBuffer(handler)
        }
    }

    // MARK: Descriptions

    package func createOffer() async throws -> String {
        try await reply(to: { callrunner_webrtcbin_create_offer(pointer, $0) }) {
            try Self.text(of: "offer", in: $0)
        }
    }

    package func createAnswer() async throws -> String {
        try await reply(to: { callrunner_webrtcbin_create_answer(pointer, $0) }) {
            try Self.text(of: "answer", in: $0)
        }
    }

    package func setLocal(_ type: DescriptionType, _ sdp: String) async throws {
        try await setDescription(local: true, type, sdp)
    }

    package func setRemote(_ type: DescriptionType, _ sdp: String) async throws {
        try await setDescription(local: false, type, sdp)
    }

    private func setDescription(local: Bool, _ type: DescriptionType, _ sdp: String) async throws {
        var message: UnsafeMutablePointer<GstSDPMessage>?
        // C code would read a text with a null byte only up to that byte.
        guard !sdp.isEmpty, !sdp.utf8.contains(0) else { throw GStreamerError.badSDP }
        guard gst_sdp_message_new_from_text(sdp, &message) == GST_SDP_OK, let message else {
            throw GStreamerError.badSDP
        }
        // GStreamer's parser accepts any text as a description without media. No peer sends such a
        // description.
        guard gst_sdp_message_medias_len(message) > 0 else {
            gst_sdp_message_free(message)
            throw GStreamerError.badSDP
        }
        // webrtcbin would open an SCTP association for other sections, which gives each data channel of the peer
        // a thread.
        guard Self.describesMediaOnly(message) else {
            gst_sdp_message_free(message)
            throw GStreamerError.rejected("it has a section that is neither audio nor video")
        }
        // takes ownership of the message
        let description = gst_webrtc_session_description_new(type.raw, message)
        defer { gst_webrtc_session_description_free(description) }
        try await reply(
            to: { callrunner_webrtcbin_set_description(pointer, local ? 1 : 0, description, $0) },
            decode: { _ in }
        )
    }

    private static func describesMediaOnly(_ message: UnsafePointer<GstSDPMessage>) -> Bool {
        (0..<gst_sdp_message_medias_len(message)).allSatisfy { index in
            guard let kind = gst_sdp_message_get_media(message, index)?.pointee.media else { return false }
            return ["audio", "video"].contains(String(cString: kind))
        }
    }

    private static func text(of field: String, in structure: Structure?) throws -> String {
        guard let structure, let value = gst_structure_get_value(structure.pointer, field),
            callrunner_value_holds(value, callrunner_type_session_description()) != 0,
            let boxed = g_value_get_boxed(value)
        else { throw GStreamerError.rejected("no \(field) in the reply") }
        let description = boxed.assumingMemoryBound(to: GstWebRTCSessionDescription.self)
        guard let text = gst_sdp_message_as_text(description.pointee.sdp) else { throw GStreamerError.badSDP }
        defer { g_free(text) }
        return String(cString: text)
    }

    package func addCandidate(_ candidate: String, mLineIndex: Int) {
        guard let index = UInt32(exactly: mLineIndex) else { return }
        callrunner_webrtcbin_add_ice_candidate(pointer, index, candidate)
    }

    // MARK: ICE

    /// Streams one value when the agent has gathered all candidates; finishes when the element is finalized.
    ///
    /// The last candidates may be emitted after that value.
    package func gatheringEnd() -> AsyncStream<Void> {
        let connection = WeakObjectRef(object)
        let complete = 2  // GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE
        let states = object.emissions(of: "notify::ice-gathering-state") { _ in
            connection.object.map { Element($0).int("ice-gathering-state") } ?? complete
        }
        return AsyncStream {
            for await state in states where state == complete { return () }
            return nil
        }
    }

    /// Restricts the gathering of candidates to this address and to others passed to this function.
    ///
    /// Without a call of this function, libnice ignores loopback addresses.
    package func gather(on address: String) {
        guard let agent = objectProperty("ice-agent") else { return }
        callrunner_ice_add_local_address(agent.pointer, address)
    }

    /// Sets the time between connectivity checks in milliseconds; it applies to checks that begin later.
    package func pace(checks milliseconds: Int) { niceAgent?.set("stun-pacing-timer", milliseconds) }

    /// Restricts the agent's UDP sockets to these ports, 1…65535; to be called before any description is set.
    package func keepPorts(in range: ClosedRange<Int>) {
        guard let agent = objectProperty("ice-agent").map(Element.init) else { return }
        // The upper bound is set first, so that the lower one never exceeds it.
        agent.set("max-rtp-port", range.upperBound)
        agent.set("min-rtp-port", range.lowerBound)
    }

    /// Adds a TURN server.
    ///
    /// - Returns: False if webrtcbin refuses the URL.
    package func addTURNServer(_ url: String) -> Bool {
        callrunner_webrtcbin_add_turn_server(pointer, url) != 0
    }

    package func statistics() async throws -> WebRTCStatistics {
        try await reply(to: { callrunner_webrtcbin_get_stats(pointer, $0) }) { structure in
            structure.map(WebRTCStatistics.init) ?? WebRTCStatistics()
        }
    }

    /// Waits until webrtcbin's thread has handled all earlier requests, but not much longer than `limit`.
    package func settle(within limit: Duration) async {
        await withTaskGroup { group in
            group.addTask { _ = try? await self.statistics() }  // answered after the earlier requests
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    /// The size of the receive buffer in bytes: two seconds at 4 Mb/s, in case a busy host delays the
    /// receiving thread.
    ///
    /// The kernel's default holds about ninety packets, which is one large keyframe.
    private static let receiveBuffer = 1 << 20

    private typealias SelectedSocket =
        @convention(c) (UnsafeMutablePointer<GObject>, guint, guint) -> UnsafeMutableRawPointer?

    private static let selectedSocket = LibNice.function("nice_agent_get_selected_socket").map {
        unsafeBitCast($0, to: SelectedSocket.self)  // the signature is that of libnice 0.1.21's documentation
    }

    /// Calls `handler` once when the peer has sent from more than `limit` addresses that it has not signaled.
    ///
    /// libnice 0.1.21 stores all of them, and searches them for each packet.
    package func onDiscoveredAddresses(beyond limit: Int, _ handler: @escaping @Sendable () -> Void) {
        let count = Atomic(0)
        niceAgent?.object.connect("new-remote-candidate-full") { _ in
            if count.wrappingAdd(1, ordering: .relaxed).newValue == limit + 1 { handler() }
        }
    }

    /// Enlarges the receive buffer of the socket of each candidate pair that ICE selects.
    func widenReceiveBuffer() {
        niceAgent?.object.connect("new-selected-pair-full") { arguments in
            guard let agent = arguments.object(0),
                let socket = Self.selectedSocket?(agent.pointer, arguments.uint(1), arguments.uint(2))
            else { return }
            ObjectRef(taking: socket).setReceiveBuffer(bytes: Self.receiveBuffer)
        }
    }

    /// The time limit for the TURN server's response to the release of an allocation.
    ///
    /// The request is sent immediately, and over UDP libnice 0.1.21 does not receive the response.
    private static let timeout: Duration = .milliseconds(100)

    /// GIO's `GAsyncReadyCallback`.
    private typealias Ready =
        @convention(c) (UnsafeMutablePointer<GObject>?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    private typealias CloseAgent =
        @convention(c) (UnsafeMutablePointer<GObject>, Ready, UnsafeMutableRawPointer) -> Void

    private static let closeAgent = LibNice.function("nice_agent_close_async").map {
        unsafeBitCast($0, to: CloseAgent.self)  // the signature is that of libnice 0.1.21's documentation
    }

    /// Releases the relayed addresses, which the TURN servers would keep for ten minutes; to be called after
    /// webrtcbin has stopped.
    ///
    /// The connection is unusable afterwards.
    @MediaActor
    package func releaseRelays() async {
        guard let agent = niceAgent, let close = Self.closeAgent else { return }
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let box = Unmanaged.passRetained(Answer(answer))
        close(
            agent.object.pointer,
            // libnice passes the given pointer back, once.
            { _, _, data in Unmanaged<Answer>.fromOpaque(data!).takeRetainedValue().continuation.finish() },
            box.toOpaque()
        )
        _ = try? await withDeadline(Self.timeout) { for await _ in answers {} }
    }
}

/// The continuation that a C callback finishes, passed as its user data.
private final class Answer: Sendable {
    let continuation: AsyncStream<Void>.Continuation

    init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }
}
