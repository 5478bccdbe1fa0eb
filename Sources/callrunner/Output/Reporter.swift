internal import CallCore
internal import CallFlow
internal import CallMedia
internal import SocketIO

/// Tells scripts every event, and people the ones that stay worth reading.
struct Reporter {
    let console: Console
    let events: EventWriter
    /// Names the run among several in one process.
    let side: String?

    func report(_ flow: AsyncStream<FlowEvent>) async {
        for await event in flow {
            let (name, fields) = event.json
            await write(name, fields)
            if let (sentence, style) = event.line { say(sentence, style) }
        }
    }

    /// - Returns: the recordings that were saved, and what broke besides the call.
    func report(_ notices: AsyncStream<MediaNotice>) async -> (
        saved: [SavedRecording], failure: MediaFailure?
    ) {
        var saved: [SavedRecording] = []
        var failure: MediaFailure?
        for await notice in notices {
            if let (name, fields) = notice.event { await write(name, fields) }
            if case .recordingSaved(let recording) = notice { saved.append(recording) }
            if case .failed(let reason) = notice {
                failure = failure ?? reason
            } else {
                say(notice.sentence, .dim)
            }
        }
        return (saved, failure)
    }

    /// A failure that is no part of the flow.
    func report(_ diagnosis: Diagnosis) async {
        let (name, fields) = FlowEvent.error(diagnosis).json
        await write(name, fields)
    }

    private func write(_ name: String, _ fields: JSONObject) async {
        guard let side else { return await events.write(name, fields) }
        var named: JSONObject = ["side": .string(side)]
        for (key, value) in fields { named[key] = value }
        await events.write(name, named)
    }

    private func say(_ sentence: String, _ style: Style) {
        console.say(side.map { "\($0): \(sentence)" } ?? sentence, style)
    }
}
