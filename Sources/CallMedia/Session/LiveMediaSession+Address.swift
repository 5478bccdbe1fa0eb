internal import CallCore
internal import GLibKit
internal import GStreamerKit

extension LiveMediaSession {
    /// The time to wait for a connection from the known addresses before a new address is reported.
    private static let grace = Duration.seconds(1)

    /// Starts to watch the addresses of this host, until one change is reported.
    ///
    /// Reports the loss of the address in use or, before the connection is established, a new address.
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

    /// Reports the loss of the address in use if this host no longer has it.
    ///
    /// The selected pair is queried again whenever an address is gone, because ICE may have selected another
    /// pair in the meantime.
    ///
    /// - Returns: whether a loss was reported.
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

    /// A new address that could provide a path to the peer; nil if there is none or a path already exists.
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
