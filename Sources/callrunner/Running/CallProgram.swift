internal import AppFlow
internal import Basics
internal import CallMedia
internal import HTTPFront
internal import Logging
internal import MediaKit
internal import SignalingServer

/// The calls of one process, with their server, their metrics and their summary.
struct CallProgram {
    let request: CallRequest
    let surroundings: Surroundings
    let interruption: StateStore<Interruption?>

    private var console: Console { surroundings.console }
    private var events: EventWriter { surroundings.events }

    /// The result of the calls, as reported at the end.
    private struct Outcome {
        var exit: Int32
        /// Whether media was exchanged in any call.
        var wasHeld: Bool
        var lines: [(text: String, style: Style)] = []
        var fields: @Sendable (Int32) -> JSONObject
    }

    /// Runs the calls and reports their summary.
    ///
    /// - Returns: The exit code.
    func hold() async throws -> Int32 {
        let measures = (1...request.calls).map { CallMeasures(request.plan(call: $0)) }
        guard let port = request.metricsPort else { return try await hold(measures) }
        do {
            return try await MetricsEndpoint.run(
                port: port,
                logger: Logger(label: "callrunner.metrics"),
                text: { Self.text(of: measures) },
                { url in
                    await events.write("metrics.listening", ["url": .string(url)])
                    console.say("metrics for Prometheus at \(url)", .dim)
                    return try await hold(measures)
                }
            )
        } catch let error as ServerError {
            throw Failure(
                code: "metrics-failed",
                message: "the metrics cannot be served: \(error)",
                hint: "choose another --metrics-port, or 0 for any free one",
                exit: RunStatus.signalingFailed.rawValue
            )
        }
    }

    private static func text(of measures: [CallMeasures]) -> PrometheusText {
        var text = PrometheusText()
        text.addInfo(
            "callrunner_build_info",
            "The running version; always 1.",
            [("version", Version.number)]
        )
        text.add(measures)
        return text
    }

    private func hold(_ measures: [CallMeasures]) async throws -> Int32 {
        let installation = try Installation(
            pipelines: request.media.pipelines,
            environment: surroundings.environment
        )
        // Checks the file before the room is joined, because a peer may wait there.
        try request.media.source.expectFile()
        let server = EmbeddedServer(
            named: request.namedServer,
            replacesLost: request.plan.stays || request.plan.calls > 1,
            logger: Logger(label: "callrunner.server")
        )
        let outcome =
            request.calls == 1
            ? try await holdOne(measures[0], installation, server)
            : try await holdMany(measures, installation, server)
        let ended = interruption.state?.exit ?? outcome.exit
        let exit = interruption.state == .readerLeft ? reportReaderLeft(outcome) : ended
        for line in outcome.lines { console.say(line.text, line.style) }
        await events.write("summary", outcome.fields(exit))
        return exit
    }

    /// Reports that the reader of standard output closed it, and that this ended the calls.
    ///
    /// - Returns: The exit code: 141 if no media was exchanged and no call failed, else the code of the
    ///   calls.
    private func reportReaderLeft(_ outcome: Outcome) -> Int32 {
        guard !outcome.wasHeld, outcome.exit == RunStatus.success.rawValue else {
            console.say("hung up, because the reader of standard output closed it")
            return outcome.exit
        }
        console.fail(
            "the reader of standard output closed it before a call was established",
            hint: "read it to its end, or redirect it to a file; `head` closes it early"
        )
        return Interruption.readerLeftEarly
    }

    private func holdOne(
        _ measures: CallMeasures,
        _ installation: Installation,
        _ server: EmbeddedServer
    ) async throws -> Outcome {
        guard let place = request.control else {
            return try await holdOne(measures, installation, server, control: nil)
        }
        return try await ControlEndpoint.with(place, console: console, events: events) {
            try await holdOne(measures, installation, server, control: $0)
        }
    }

    private func holdOne(
        _ measures: CallMeasures,
        _ installation: Installation,
        _ server: EmbeddedServer,
        control: ControlEndpoint?
    ) async throws -> Outcome {
        var media = try request.configuration(installation)
        defer { media.discardUnusedRecordings() }
        let dump = try request.dump.map(DumpFolder.init)
        if let dump {
            await dump.keep(about: MachineReport.text(surroundings.settings))
            await events.copy(to: dump)
            media.drawsGraphs = true
        }
        let result = try await withServer(server) { url, whenLost, closing in
            var run = CallRun(
                plan: request.plan,
                media: media,
                signaling: request.signaling(url: url),
                presentation: request.presentation,
                console: console,
                events: events
            )
            run.dump = dump
            run.control = control
            run.publication = request.publication.map { CallPublication($0, console, events) }
            run.measures = measures
            run.whenSignalingIsLost = whenLost
            if request.namedServer == nil { run.adapt = Self.withoutServer }
            return try await run.run(interruption: interruption, closing: closing)
        }
        let summary = Summary(result)
        let style = result.outcome.error == nil ? Style.good : .plain
        return Outcome(
            exit: result.outcome.exit.rawValue,
            wasHeld: result.outcome.wasHeld,
            lines: summary.sentence.map { [($0, style)] } ?? [],
            fields: { summary.fields(exit: $0) }
        )
    }

    /// Adapts the hint of a failed call without a given server if another program listens on the default port.
    private static func withoutServer(_ diagnosis: Diagnosis) -> Diagnosis {
        guard ["not-socket-io", "server-unreachable"].contains(diagnosis.code) else { return diagnosis }
        var adapted = diagnosis
        adapted.hint =
            "another program listens at \(EmbeddedServer.defaultURL): \(ServerProbe.remedy("--server"))"
        return adapted
    }

    private func holdMany(
        _ measures: [CallMeasures],
        _ installation: Installation,
        _ server: EmbeddedServer
    ) async throws -> Outcome {
        let group = CallGroup(
            request: request,
            installation: installation,
            measures: measures,
            console: console,
            events: events
        )
        let media = try group.media()
        defer { for configuration in media { configuration.discardUnusedRecordings() } }
        let summary = try await withServer(server) { url, whenLost, closing in
            try await group.run(
                media,
                url: url,
                whenLost: whenLost,
                interruption: interruption,
                closing: closing
            )
        }
        return Outcome(
            exit: summary.exit.rawValue,
            wasHeld: summary.rows.contains { $0.result.outcome.wasHeld },
            lines: summary.lines.map { ($0, .plain) },
            fields: { summary.fields(exit: $0) }
        )
    }

    private func withServer<Result: Sendable>(
        _ server: EmbeddedServer,
        _ body: (String, @escaping @Sendable () -> Void, ClosingLimit) async throws -> Result
    ) async throws -> Result {
        let closing = ClosingLimit()
        let failed = RunStatus.mediaFailed.rawValue
        return try await closing.during(console, events, exit: { interruption.state?.exit ?? failed }) {
            try await server.withServer { start, url in
                console.say("\(start.reason), so this process serves \(url) until it ends", .dim)
                await events.write("server.listening", ["url": .string(url)])
            } _: { url, whenLost in
                try await body(url, whenLost, closing)
            }
        }
    }
}
