internal import CallCore
internal import GLibKit
internal import GStreamerKit

extension LiveMediaSession {
    /// Tells, once, when this machine has lost the address that the connection is made or held from.
    func watchAddress() {
        guard closing == nil, !isWatchedForAddress else { return }
        isWatchedForAddress = true
        watchers.append(
            Task { [weak self] in
                for await _ in NetworkMonitor() {
                    guard let self, await !self.hasToldLostAddress() else { return }
                }
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
}
