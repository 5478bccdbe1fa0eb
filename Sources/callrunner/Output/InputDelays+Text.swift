internal import CallWindow
internal import SocketIO

extension InputDelays {
    /// Describes the delays on a screen in one sentence.
    func sentence(_ screen: String) -> String {
        "\(screen): \(count) inputs shown within \(percentile(50)) ms at the median, "
            + "\(percentile(95)) ms for 95 % of them, \(percentile(100)) ms at most"
    }

    /// Creates the fields of the event `window.delays`, in milliseconds.
    func fields(_ screen: String) -> JSONObject {
        [
            "screen": .string(screen), "inputs": .int(count), "p50": .int(percentile(50)),
            "p95": .int(percentile(95)), "max": .int(percentile(100)),
        ]
    }
}
