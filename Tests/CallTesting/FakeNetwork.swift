internal import Basics
package import CallCore
internal import Synchronization

/// A fake network that connects two sessions of fake media services when each knows the other's description.
package final class FakeNetwork: Sendable {
    struct Peer: Sendable {
        let ufrag: String
        let events: AsyncStream<MediaEvent>.Continuation
        let connects: Bool
        let failure: CallMediaFailure?
    }

    private struct Entry {
        let peer: Peer
        var remote: String
        var isConnected = false
    }

    private struct State {
        /// The open sessions, connected or not.
        var peers: [String: Peer] = [:]
        var entries: [String: Entry] = [:]
        var faults: [String] = []
    }

    private let state = Mutex(State())
    private let stalls = AsyncStream.makeStream(of: String.self)

    package init() {}

    /// The violations of the signaling protocol by the code under test.
    package var faults: [String] { state.withLock { $0.faults } }

    /// Reports a stall to a session five seconds after its peer has closed the connection; runs until
    /// cancelled.
    package func watch(_ clock: any Clock<Duration>) async {
        await withDiscardingTaskGroup { group in
            for await ufrag in stalls.stream {
                group.addTask {
                    guard (try? await clock.sleep(for: .seconds(5))) != nil else { return }
                    self.report(.stalled, to: ufrag)
                }
            }
        }
    }

    /// Reports a stall to all connected sessions, or only to those of `name`.
    ///
    /// With `name`, the peer of `name` stalls only after `name` has closed its session.
    package func cut(_ name: String? = nil) {
        for peer in connected where peer.ufrag.hasPrefix(name ?? "") { peer.events.yield(.stalled) }
    }

    package func fail(_ failure: CallMediaFailure) {
        for peer in connected { peer.events.yield(.failed(failure)) }
    }

    /// Reports an event to all open sessions, or to those of `name`.
    package func emit(_ event: MediaEvent, to name: String? = nil) {
        let peers = state.withLock { $0.peers.sorted { $0.key < $1.key }.map(\.value) }
        for peer in peers where peer.ufrag.hasPrefix(name ?? "") { peer.events.yield(event) }
    }

    private var connected: [Peer] {
        state.withLock { state in
            state.entries.filter(\.value.isConnected).sorted { $0.key < $1.key }.map(\.value.peer)
        }
    }

    func open(_ peer: Peer) {
        state.withLock { $0.peers[peer.ufrag] = peer }
    }

    func join(_ peer: Peer, to remote: String) {
        state.withLock { state in
            state.entries[peer.ufrag] = Entry(peer: peer, remote: remote)
            if let failure = peer.failure { peer.events.yield(.failed(failure)) }
            guard let other = state.entries[remote], other.remote == peer.ufrag, peer.connects,
                other.peer.connects
            else { return }
            for side in [peer, other.peer] {
                state.entries[side.ufrag]?.isConnected = true
                side.events.yield(.iceConnected)
                side.events.yield(.iceSelected(local: "host", remote: "host", transport: "udp"))
                side.events.yield(.connected)
                side.events.yield(.firstPacket(.video))
                side.events.yield(.firstFrame(.video))
            }
        }
    }

    func add(_ candidate: ICECandidate, to peer: Peer) {
        state.withLock { state in
            guard let entry = state.entries[peer.ufrag] else {
                state.faults.append("a candidate was added before the remote description")
                return
            }
            if let ufrag = candidate.usernameFragment, ufrag != entry.remote {
                state.faults.append("a candidate of \(ufrag) was added to an attempt with \(entry.remote)")
            }
        }
    }

    func leave(_ peer: Peer) {
        peer.events.finish()
        let other: String? = state.withLock { state in
            state.peers[peer.ufrag] = nil
            guard let entry = state.entries.removeValue(forKey: peer.ufrag), entry.isConnected else {
                return nil
            }
            return entry.remote
        }
        if let other { stalls.continuation.yield(other) }
    }

    private func report(_ event: MediaEvent, to ufrag: String) {
        state.withLock { _ = $0.entries[ufrag]?.peer.events.yield(event) }
    }
}
