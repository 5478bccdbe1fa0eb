internal import CallCore
internal import CallFlow
internal import CallMedia
internal import SocketIO

/// The reporter of a run: all events go to scripts, and the important ones to people.
struct Reporter {
    let console: Console
    let events: EventWriter
    /// The name of the run, if there are several in the process.
    var side: String?
    /// The room of the call, if there are several calls in the process.
    var call: RoomID?
    /// The measurements that the events update.
    var measures: CallMeasures?
    /// The dump that keeps the signaling messages and the pipeline graphs.
    var dump: DumpFolder?
    /// Receives a caption for the source that is sent.
    var showSource: @Sendable (SourceCaption) -> Void = { _ in }

    /// Reports all events of a run, until it is over.
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
            // Several runs in one process may record each other; only the events report that.
            if side != nil || call != nil, case .call(.peerMedia) = event { line.weight = .detail }
            say(line)
        }
    }

    /// Reports the notices of a run's media.
    ///
    /// Once the run is `closing`, a new source is no longer reported, and other notices wait until
    /// `flowIsOver` marks the end of the flow's events.
    func report(
        _ notices: AsyncStream<MediaNotice>,
        closing: ClosingLimit,
        after flowIsOver: StateStore<Bool>
    ) async -> Noticed {
        var noticed = Noticed()
        for await notice in notices {
            if closing.hasBegun {
                if case .source = notice { continue }
                for await _ in flowIsOver.states {}
            }
            if let (name, fields) = notice.event { await write(name, fields) }
            noticed.handle(notice)
            if case .source(_, let name, _, _, let reason) = notice {
                showSource(SourceCaption(name: name, reason: reason))
            }
            if case .graph(let moment, let dot) = notice { await dump?.keep(graph: dot, moment) }
            if case .failed = notice { continue }
            guard let sentence = notice.sentence else { continue }
            // The table reports several calls.
            var weight = Line.Weight.lasting
            if call != nil { if case .warning = notice {} else { weight = .detail } }
            say(Line(sentence: sentence, style: .dim, weight: weight))
        }
        return noticed
    }

    /// The facts from the notices that a run needs.
    struct Noticed: Sendable {
        var saved: [SavedRecording] = []
        /// The paths of the recordings for which no media arrived.
        var empty: [String] = []
        /// The kinds of media that the source has.
        var sends: Set<MediaKind> = []
        /// The first failure.
        var failure: MediaFailure?

        mutating func handle(_ notice: MediaNotice) {
            switch notice {
            case .source(_, _, let video, let audio, _):
                if video != nil { sends.insert(.video) }
                if audio != nil { sends.insert(.audio) }
            case .recordingSaved(let recording): saved.append(recording)
            case .recordingEmpty(let path): empty.append(path)
            case .failed(let reason): failure = failure ?? reason
            case .audioDevices, .selected, .recordingStarted, .recordingFailed, .snapshotSaved, .warning,
                .graph:
                break
            }
        }
    }

    /// Reports a failure that is no event of the flow.
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
