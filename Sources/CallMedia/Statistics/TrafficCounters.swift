internal import Basics
internal import CallCore
internal import Synchronization

/// Counters of values that webrtcbin does not count; they are updated at pads, on streaming threads.
final class TrafficCounters: Sendable {
    struct Flow {
        var packets = 0
        var bytes = 0
        var frames = 0
        var width = 0
        var height = 0
        var ssrc: UInt32?
        var freezes = FreezeDetector()
    }

    struct Totals {
        var received: [MediaKind: Flow] = [:]
        var sent: [MediaKind: Flow] = [:]
        /// The number of keyframe requests from the peer.
        var keyframeRequests = 0
    }

    /// The flows of one direction.
    ///
    /// They are stored in properties, because a dictionary would hash its key for each packet.
    private struct Flows {
        private var audio: Flow?
        private var video: Flow?

        mutating func update<Result>(_ kind: MediaKind, _ body: (inout Flow) -> Result) -> Result {
            switch kind {
            case .audio: Self.update(&audio, body)
            case .video: Self.update(&video, body)
            }
        }

        private static func update<Result>(_ flow: inout Flow?, _ body: (inout Flow) -> Result) -> Result {
            var known = flow.take() ?? Flow()
            defer { flow = known }
            return body(&known)
        }

        var byKind: [MediaKind: Flow] {
            var flows: [MediaKind: Flow] = [:]
            flows[.audio] = audio
            flows[.video] = video
            return flows
        }
    }

    private struct State {
        var received = Flows()
        var sent = Flows()
        var keyframeRequests = 0
    }

    private let state = Mutex(State())
    private let transport = Mutex(StallRule.Liveness())

    var snapshot: Totals {
        state.withLock { state in
            Totals(
                received: state.received.byKind,
                sent: state.sent.byKind,
                keyframeRequests: state.keyframeRequests
            )
        }
    }

    /// The times of the latest packets from the transport.
    var liveness: StallRule.Liveness { transport.withLock { $0 } }

    /// Records the arrival time of a transport packet of any protocol.
    func transportPacket() { transport.withLock { $0.lastPacket = .now } }

    /// Counts a received media packet.
    ///
    /// - Returns: whether it is the first packet of this kind of media.
    func received(_ kind: MediaKind, bytes: Int) -> Bool {
        if kind == .audio { transport.withLock { $0.lastAudio = .now } }
        return state.withLock { state in
            state.received.update(kind) { flow in
                flow.packets += 1
                flow.bytes += bytes
                return flow.packets == 1
            }
        }
    }

    /// Counts a complete received frame with the playout time `time`, in nanoseconds.
    ///
    /// - Returns: whether it is the first frame of this kind of media.
    func receivedFrame(_ kind: MediaKind, width: Int, height: Int, at time: UInt64) -> Bool {
        state.withLock { state in
            state.received.update(kind) { flow in
                flow.frames += 1
                (flow.width, flow.height) = (width, height)
                flow.freezes.frame(at: time)
                return flow.frames == 1
            }
        }
    }

    func identified(_ kind: MediaKind, ssrc: UInt32) {
        state.withLock { state in state.received.update(kind) { $0.ssrc = ssrc } }
    }

    func sent(_ kind: MediaKind, bytes: Int) {
        state.withLock { state in
            state.sent.update(kind) { flow in
                flow.packets += 1
                flow.bytes += bytes
            }
        }
    }

    func keyframeAskedFor() { state.withLock { $0.keyframeRequests += 1 } }

    func sentFrame(_ kind: MediaKind) { state.withLock { $0.sent.update(kind) { $0.frames += 1 } } }
}
