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
    /// The room, where it names the run among several calls.
    var call: RoomID?
    /// What takes note of the figures.
    var measures: CallMeasures?
    /// What keeps the signals and the graphs.
    var dump: DumpFolder?
    /// Hears what is sent.
    var showSource: @Sendable (SourceCaption) -> Void = { _ in }

    /// Tells everything that happens in a run, until it is over.
    func report(_ flow: AsyncStream<FlowEvent>, whenSignalingIsLost: @Sendable () -> Void) async {
        for await event in flow {
            measures?.handle(event)
            if let (name, fields) = event.json { await write(name, fields) }
            switch event {
            case .error(let diagnosis): fail(diagnosis)
            case .signalingDisconnected: whenSignalingIsLost()
            case .signal(let direction, let message): await dump?.keep(message, direction)
            default: break
            }
            guard var line = event.line else { continue }
            // Of several runs in one process, which may record each other, the events tell.
            if side != nil || call != nil, case .call(.peerMedia) = event { line.weight = .detail }
            say(line)
        }
    }

    /// Tells what happens besides the call.
    ///
    /// Once the run is `closing`, a source that is ready only now is no news any more, and what else there is
    /// comes after the flow, whose end `flowIsTold` is.
    func report(
        _ notices: AsyncStream<MediaNotice>,
        closing: ClosingLimit,
        after flowIsTold: StateStore<Bool>
    ) async -> Noticed {
        var noticed = Noticed()
        for await notice in notices {
            if closing.hasBegun {
                if case .source = notice { continue }
                for await _ in flowIsTold.states {}
            }
            if let (name, fields) = notice.event { await write(name, fields) }
            noticed.handle(notice)
            if case .source(_, let name, _, _, let reason) = notice {
                showSource(SourceCaption(name: name, reason: reason))
            }
            if case .graph(let moment, let dot) = notice { await dump?.keep(graph: dot, moment) }
            if case .failed = notice { continue }
            guard let sentence = notice.sentence else { continue }
            // Of many calls a table tells.
            var weight = Line.Weight.lasting
            if call != nil { if case .warning = notice {} else { weight = .detail } }
            say(Line(sentence: sentence, style: .dim, weight: weight))
        }
        return noticed
    }

    /// What a run needs to know of the notices.
    struct Noticed: Sendable {
        var saved: [SavedRecording] = []
        /// The paths of what was to be kept, and of which nothing came.
        var empty: [String] = []
        /// What the source has.
        var sends: Set<MediaKind> = []
        /// What broke first.
        var failure: MediaFailure?

        mutating func handle(_ notice: MediaNotice) {
            switch notice {
            case .source(_, _, let video, let audio, _):
                if video != nil { sends.insert(.video) }
                if audio != nil { sends.insert(.audio) }
            case .recordingSaved(let recording): saved.append(recording)
            case .recordingEmpty(let path): empty.append(path)
            case .failed(let reason): failure = failure ?? reason
            case .sound, .selected, .recordingStarted, .recordingFailed, .snapshotSaved, .warning, .graph:
                break
            }
        }
    }

    /// A failure that is no part of the flow.
    func report(_ diagnosis: Diagnosis) async {
        if let (name, fields) = FlowEvent.error(diagnosis).json { await write(name, fields) }
        fail(diagnosis)
    }

    private func fail(_ diagnosis: Diagnosis) {
        console.fail(named(diagnosis.message), hint: diagnosis.hint)
    }

    private func write(_ name: String, _ fields: JSONObject) async {
        guard side != nil || call != nil else { return await events.write(name, fields) }
        var named: JSONObject = [:]
        if let side { named["side"] = .string(side) }
        if let call { named["call"] = .int(call.value) }
        for (key, value) in fields { named[key] = value }
        await events.write(name, named)
    }

    private func say(_ line: Line) {
        var line = line
        line.sentence = named(line.sentence)
        if call != nil, line.weight == .step { line.weight = .detail }
        console.say(line)
    }

    private func named(_ sentence: String) -> String {
        if let side { return "\(side): \(sentence)" }
        return call.map { "room \($0): \(sentence)" } ?? sentence
    }
}
