internal import CallCore
internal import CallFlow
internal import CallMedia
internal import SocketIO

/// Tells scripts every event, and people what is worth reading.
struct Reporter {
    let console: Console
    let events: EventWriter
    /// Names the run among several in one process.
    var side: String?

    /// Tells everything that happens in a run, until it is over.
    func report(_ flow: AsyncStream<FlowEvent>, onClosing: @Sendable () -> Void) async {
        for await event in flow {
            if let (name, fields) = event.json { await write(name, fields) }
            switch event {
            case .error(let diagnosis): fail(diagnosis)
            case .closing: onClosing()
            default: break
            }
            if let line = event.line { say(line) }
        }
    }

    /// Tells what happens besides the call.
    ///
    /// Where `isClosing`, a source that is ready only now is no news any more.
    ///
    /// - Returns: the recordings that were saved, and what broke.
    func report(_ notices: AsyncStream<MediaNotice>, isClosing: @Sendable () -> Bool) async -> (
        saved: [SavedRecording], failure: MediaFailure?
    ) {
        var saved: [SavedRecording] = []
        var failure: MediaFailure?
        for await notice in notices {
            if case .source = notice, isClosing() { continue }
            if let (name, fields) = notice.event { await write(name, fields) }
            if case .recordingSaved(let recording) = notice { saved.append(recording) }
            if case .failed(let reason) = notice {
                failure = failure ?? reason
            } else {
                say(Line(sentence: notice.sentence, style: .dim, weight: .lasting))
            }
        }
        return (saved, failure)
    }

    /// A failure that is no part of the flow.
    func report(_ diagnosis: Diagnosis) async {
        if let (name, fields) = FlowEvent.error(diagnosis).json { await write(name, fields) }
        fail(diagnosis)
    }

    private func fail(_ diagnosis: Diagnosis) { console.fail(diagnosis.message, hint: diagnosis.hint) }

    private func write(_ name: String, _ fields: JSONObject) async {
        guard let side else { return await events.write(name, fields) }
        var named: JSONObject = ["side": .string(side)]
        for (key, value) in fields { named[key] = value }
        await events.write(name, named)
    }

    private func say(_ line: Line) {
        var line = line
        if let side { line.sentence = "\(side): \(line.sentence)" }
        console.say(line)
    }
}
