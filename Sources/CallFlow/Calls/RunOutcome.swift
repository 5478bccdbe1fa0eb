package import CallCore

/// What a run came to: the `summary` of the JSON lines without the figures of the media.
package struct RunOutcome: Hashable, Sendable {
    /// The last call's where there was one.
    package var exit = RunStatus.success
    package var calls = 0
    /// Whether media has flowed in any of them.
    package var wasHeld = false
    /// Over all calls.
    package var attempts = 0
    /// Of the last call.
    package var setup: CallSetup?
    package var error: Diagnosis?

    package init() {}

    mutating func add(_ summary: CallSummary) {
        calls += 1
        attempts += summary.attempt
        wasHeld = wasHeld || summary.wasHeld
        setup = summary.setup
        error = Diagnosis(summary)
        exit = error?.exit ?? .success
    }

    package mutating func fail(_ diagnosis: Diagnosis) {
        error = diagnosis
        exit = diagnosis.exit
    }
}
