internal import AppFlow
internal import Basics
internal import CallMedia
internal import LiveCore
internal import LiveMedia
internal import MediaKit

/// The publication of a call as a live stream, whose events it reports.
struct CallPublication {
    private enum Report: Sendable {
        case event(PublishEvent)
        case warning(String)
        case failed(LiveFailure)
    }

    private let target: PublishTarget
    private let console: Console
    private let events: EventWriter
    private let reports: AsyncStream<Report>
    private let input: AsyncStream<Report>.Continuation

    init(_ target: PublishTarget, _ console: Console, _ events: EventWriter) {
        (self.target, self.console, self.events) = (target, console, events)
        (reports, input) = AsyncStream.makeStream()
    }

    /// Creates the publisher of a call with this configuration.
    func publisher(_ media: MediaConfiguration) async -> CallPublisher {
        let scope = media.scope
        return await CallPublisher(
            to: target.address,
            trusting: target.authorities,
            kinds: scope.receives ? scope.kinds : scope.kinds.intersection([.audio]),
            from: media.library,
            within: media.decodingLimit,
            report: { [input] in input.yield(.event($0)) },
            warn: { [input] in input.yield(.warning($0)) },
            fail: { [input] in input.yield(.failed($0)) }
        )
    }

    /// Reports what happens until `finish()` is called.
    ///
    /// - Returns: The failure because of which the call was not published; nil if it was, or if there was no call.
    func report() async -> Diagnosis? {
        var wasConnected = false
        var last: LiveFailure?
        for await report in reports {
            switch report {
            case .event(let event):
                if event == .connected { wasConnected = true }
                if case .lost(let failure, _) = event { last = failure }
                let (name, fields) = event.json(target.address)
                await events.write(name, fields)
                if let line = event.line(target.address) { console.say(line) }
            case .warning(let text): console.say(text, .failure)
            case .failed(let failure):
                (wasConnected, last) = (false, failure)
                await events.write(
                    "publish.failed",
                    ["reason": .string(failure.reason.rawValue), "message": .string(failure.message)]
                )
                console.say("the call is not published any more: \(failure.message)", .failure)
            }
        }
        guard !wasConnected, let last else { return nil }
        let failure = Failure(publishing: last)
        return Diagnosis(
            exit: RunStatus(rawValue: failure.exit) ?? .mediaFailed,
            code: failure.code,
            message: "the call was not published: \(failure.message)",
            hint: failure.hint ?? last.hint
        )
    }

    func finish() { input.finish() }
}
