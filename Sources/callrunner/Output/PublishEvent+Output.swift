internal import Basics
internal import LiveCore

extension PublishEvent {
    /// The name and the fields of the event for `--json`.
    func json(_ address: PublishAddress) -> (name: String, fields: JSONObject) {
        switch self {
        case .connecting: ("publish.connecting", ["url": .string(address.description)])
        case .connected: ("publish.connected", ["url": .string(address.description)])
        case .measured(let measures):
            (
                "publish.stats",
                [
                    "bitrate": .int(Int(measures.bitrate)), "fps": .number(measures.frameRate),
                    "dropped": .int(measures.droppedFrames),
                ]
            )
        case .lost(let failure, let retryIn):
            (
                "publish.lost",
                [
                    "reason": .string(failure.reason.rawValue), "message": .string(failure.message),
                    "retryIn": .number(retryIn / .seconds(1)),
                ]
            )
        }
    }

    /// The line for the console; nil if no line is needed.
    func line(_ address: PublishAddress) -> Line? {
        switch self {
        case .connecting: Line(sentence: "connecting to \(address)", style: .dim)
        case .connected: Line(sentence: "publishing to \(address)", style: .good, weight: .lasting)
        case .measured(let measures):
            Line(
                sentence:
                    "\(Int(measures.bitrate / 1000)) kb/s, \(Int(measures.frameRate.rounded())) frames/s"
                    + (measures.droppedFrames > 0 ? ", \(measures.droppedFrames) frames dropped" : ""),
                style: .dim
            )
        case .lost(let failure, let retryIn):
            Line(
                sentence: "not publishing: \(failure.message); trying again in \(DurationText(retryIn))",
                style: .failure,
                weight: .lasting
            )
        }
    }
}
