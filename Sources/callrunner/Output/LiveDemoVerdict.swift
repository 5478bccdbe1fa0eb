internal import AppFlow
internal import Basics
internal import LiveCore

/// The result of the demo of a live stream: it succeeds if the stream is played from its first frame to the end.
struct LiveDemoVerdict: Hashable {
    /// The fraction of the duration for which the stream may be stalled.
    private static let tolerance = 0.2

    var duration: Duration
    var failure: LiveFailure?
    /// The time from the request to the first frame; nil without one.
    var firstFrame: Duration?
    var frames = 0
    /// The number of times that the stream stalled or was lost.
    var interruptions = 0
    /// The total time for which the stream was stalled or lost.
    var stoodStill = Duration.zero
    /// The state of the player at the end.
    var playback = LivePlayback()
    /// Whether the user ended the demo early.
    var isIncomplete = false

    init(duration: Duration) { self.duration = duration }

    /// The problem that the demo found; nil if the stream works.
    var fault: String? {
        guard !isIncomplete else { return nil }
        if let failure { return failure.message }
        guard firstFrame != nil, frames > 0 else { return "no frame was shown" }
        guard stoodStill <= duration * Self.tolerance else {
            return "playback stalled for \(DurationText(stoodStill)) of \(DurationText(duration))"
        }
        return playback.state == .playing ? nil : "the stream did not play to the end"
    }

    private var figures: [String] {
        var lines: [String] = []
        if let firstFrame { lines.append("first frame after \(Int(firstFrame / .milliseconds(1))) ms") }
        guard let format = playback.format else { return lines }
        let size = format.resolution.map { "\($0.width)x\($0.height) " } ?? ""
        let latency = playback.progress.latency.map {
            ", \(($0 / .seconds(1) * 10).rounded() / 10) s behind the camera"
        }
        lines.append(
            "\(size)\(format.codec): \(frames) frames, \(interruptions) interruptions\(latency ?? "")"
        )
        return lines
    }

    private var exit: Int32 { fault == nil ? 0 : RunStatus.mediaFailed.rawValue }

    /// Reports whether the stream works or, after an interruption, that this is not known.
    ///
    /// - Returns: The exit code.
    func report(_ console: Console, _ events: EventWriter, after interruption: Interruption?) async -> Int32 {
        for line in figures { console.say(line) }
        let exit = interruption?.exit ?? self.exit
        if interruption != nil || isIncomplete {
            console.say("ended early, so there is no verdict")
        } else if let fault {
            console.fail(fault, hint: failure?.hint)
            console.say("✘ the stream does not work", .failure, from: .quiet)
            let error = Failure(code: "demo-failed", message: fault, hint: failure?.hint, exit: exit)
            await events.write("error", error.fields)
        } else {
            console.say("✔ the stream works", .good)
        }
        await events.write("summary", fields(exit: exit))
        return exit
    }

    /// Creates the fields of the event `summary`.
    func fields(exit: Int32) -> JSONObject {
        var fields: JSONObject = [
            "exit": .int(Int(exit)), "frames": .int(frames), "interruptions": .int(interruptions),
        ]
        if let firstFrame { fields["firstFrameMs"] = .int(Int(firstFrame / .milliseconds(1))) }
        if let latency = playback.progress.latency { fields["latency"] = .number(latency / .seconds(1)) }
        fields["faults"] = .array(fault.map { [.string($0)] } ?? [])
        return fields
    }
}
