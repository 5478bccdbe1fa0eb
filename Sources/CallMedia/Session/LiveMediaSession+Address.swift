internal import CallCore
internal import GLibKit
internal import GStreamerKit

extension LiveMediaSession {
    /// How long a connection that may yet be made from the addresses it has is left to it.
    private static let grace = Duration.seconds(1)

    /// Tells, once, when this machine has lost the address that the connection is made or held from, or, as
    /// long as it is not made, has got one that it knows nothing of.
    func watchAddress() {
        guard closing == nil, !isWatchedForAddress else { return }
        isWatchedForAddress = true
        watchers.append(
            Task { [weak self] in
                var changes = NetworkMonitor().makeAsyncIterator()
                // Something may have changed since the session was made.
                repeat {
                    guard let self, await !self.hasToldLostAddress(), await !self.hasToldGainedAddress()
                    else {
                        return
                    }
                } while await changes.next() != nil
            }
        )
    }

    /// Asks webrtcbin each time something is gone, because a better pair may have been selected meanwhile.
    private func hasToldLostAddress() async -> Bool {
        guard let present = LocalAddresses.current(), !bases.areAll(among: present) else { return false }
        let statistics = isConnected ? try? await bin.statistics() : nil
        let selected = statistics?.candidatePair?.localAddress
        guard let lost = bases.lost(selected: selected, present: present) else { return false }
        news.yield(.addressLost(lost))
        return true
    }

    private func hasToldGainedAddress() async -> Bool {
        guard gainedAddress != nil else { return false }
        if gathersBeyondLoopback { try? await Task.sleep(for: Self.grace) }
        guard let gained = gainedAddress else { return false }
        news.yield(.addressGained(gained))
        return true
    }

    /// Nil where no path is wanted any more, or none can be made from it.
    private var gainedAddress: String? {
        let rule = service.configuration.addressRule
        guard closing == nil, !hasPath, let present = HostAddresses.beyondLoopback(under: rule) else {
            return nil
        }
        return bases.gained(known: knownAddresses, present: present)
    }

    private var hasPath: Bool {
        switch WebRTCBin.ICEConnectionState(rawValue: bin.int("ice-connection-state")) {
        case .connected, .completed: true
        case .new, .checking, .failed, .disconnected, .closed, nil: isConnected
        }
    }
}
