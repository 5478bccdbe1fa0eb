import CallMedia

/// An observer that forwards a connection's candidates and waits for the events of a complete call.
enum Watcher {
    /// Forwards candidates until `seconds` reports of statistics, one per second, have been received; returns
    /// all events.
    static func watch(
        _ connection: PeerConnection,
        for seconds: Int,
        onCandidate: (PeerConnection.Candidate) async throws -> Void
    ) async throws -> [PeerConnection.Event] {
        var (events, reports): ([PeerConnection.Event], Int) = ([], 0)
        for await event in connection.events {
            events.append(event)
            switch event {
            case .localCandidate(let candidate): try await onCandidate(candidate)
            case .failed(let failure): throw failure
            case .statistics: reports += 1
            default: break
            }
            if reports == seconds { break }
        }
        return events
    }
}
