internal import AppFlow
internal import Basics
internal import CallCore
internal import CallMedia
internal import MediaKit

/// A reporter of the events of one run, which writes all events for `--json` and the important ones to the
/// console.
struct Reporter {
    let console: Console
    let events: EventWriter
    /// The role of the run in a demo, `caller` or `callee`; nil outside of a demo.
    var side: String?
    /// The room of the call if there are several calls in the process; otherwise nil.
    var call: RoomID?
    /// The measurements that the events update, if any.
    var measures: CallMeasures?
    /// The dump folder for the signaling messages and the pipeline graphs, if any.
    var dump: DumpFolder?
    /// Adapts the remedy of a failure to the way in which the program was started.
    var adapt: @Sendable (Diagnosis) -> Diagnosis = { $0 }
    /// The line about the source, if it is delayed until the room is joined.
    var sourceLine: SourceLine?
    /// Receives the caption of the source whenever a source is opened.
    var showSource: @Sendable (SourceCaption) -> Void = { _ in }

    /// Reports the events of a run until `flow` ends, and calls `whenSignalingIsLost` whenever the signaling
    /// connection is lost.
    func report(_ flow: AsyncStream<FlowEvent>, whenSignalingIsLost: @Sendable () -> Void) async {
        for await event in flow {
            let event = adapted(event)
            measures?.handle(event)
            if let (name, fields) = event.json { await write(name, fields) }
            switch event {
            case .error(let diagnosis): fail(diagnosis)
            case .signalingDisconnected: whenSignalingIsLost()
            case .signal(let direction, let message): await dump?.keep(message, direction)
            default: break
            }
            guard var line = event.line else { continue }
            // The runs in one process may record each other; the console reports that only with `--verbose`.
            if side != nil || call != nil, case .call(.peerMedia) = event { line.weight = .detail }
            say(line)
            if case .roomJoined = event, let held = sourceLine?.release() { say(held) }
        }
    }

    /// Reports the media notices of a run.
    ///
    /// After `closing` has begun, a new source is not reported, and other notices wait until `flowIsOver`
    /// finishes, so that they follow the last event of the run.
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
            // Several calls are reported in a table at the end; before that, the console shows only warnings.
            var weight = Line.Weight.lasting
            if call != nil { if case .warning = notice {} else { weight = .detail } }
            var line: Line? = Line(sentence: sentence, style: .dim, weight: weight)
            if case .source = notice, let sourceLine { line = line.flatMap(sourceLine.pass) }
            if let line { say(line) }
        }
        return noticed
    }

    /// The information from the notices that is needed at the end of the run.
    struct Noticed: Sendable {
        var saved: [SavedRecording] = []
        /// The paths of the recordings and snapshots for which no media arrived.
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

    private func adapted(_ event: FlowEvent) -> FlowEvent {
        if case .error(let diagnosis) = event { .error(adapt(diagnosis)) } else { event }
    }

    /// Reports a failure for which the run emitted no event.
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
