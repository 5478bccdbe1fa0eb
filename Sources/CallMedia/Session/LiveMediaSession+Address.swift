internal import CallCore
internal import GLibKit
internal import GStreamerKit

extension LiveMediaSession {
    /// The time to wait for a connection from the old addresses before a new address is reported.
    private static let grace = Duration.seconds(1)

    /// Reports once if this machine loses the address in use or, before the connection is up, gains a new
    /// one.
    func watchAddress() {
        guard closing == nil, !isWatchedForAddress else { return }
        isWatchedForAddress = true
        watchers.append(
            Task { [weak self] in
                var changes = NetworkMonitor().makeAsyncIterator()
                // The addresses may have changed since the session was created.
                repeat {
                    guard let self, await !self.hasReportedLostAddress(),
                        await !self.hasReportedGainedAddress()
                    else {
                        return
                    }
                } while await changes.next() != nil
            }
        )
    }

    /// Returns whether the loss of the address in use was reported.
    ///
    /// It queries webrtcbin each time an address is gone, because a better pair may have been selected in the
    /// meantime.
    ///
    /// - Returns: whether an address was lost.
    private func hasReportedLostAddress() async -> Bool {
        guard let present = LocalAddresses.current(), !bases.areAll(among: present) else { return false }
        let statistics = isConnected ? try? await bin.statistics() : nil
        let selected = statistics?.candidatePair?.localAddress
        guard let lost = bases.lost(selected: selected, present: present) else { return false }
        eventContinuation.yield(.addressLost(lost))
        return true
    }

    private func hasReportedGainedAddress() async -> Bool {
        guard gainedAddress != nil else { return false }
        if gathersBeyondLoopback { try? await Task.sleep(for: Self.grace) }
        guard let gained = gainedAddress else { return false }
        eventContinuation.yield(.addressGained(gained))
        return true
    }

    /// A new address from which a path could be made; nil if there is none or no path is needed.
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
