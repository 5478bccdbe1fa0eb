internal import CallCore
internal import GStreamerKit

extension LiveMediaSession {
    private nonisolated static let silenceCheck = Duration.milliseconds(500)

    /// Follows the path for as long as the session lives.
    func adapt() {
        watchers.append(
            Task { [weak self, feedback] in
                for await packets in feedback { self?.adaptation.take(packets) }
            }
        )
        watchers.append(
            Task { [weak self] in
                var sent = 0
                while (try? await Task.sleep(for: Self.silenceCheck)) != nil {
                    guard let self else { return }
                    let total = counters.snapshot.sent.values.reduce(0) { $0 + $1.packets }
                    adaptation.pass(isSending: total > sent)
                    sent = total
                }
            }
        )
    }
}
