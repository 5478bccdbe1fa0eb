package import CallCore

/// The result of a run, as the event `summary` reports it, except for the media statistics.
package struct RunOutcome: Hashable, Sendable {
    /// The exit status of the run: that of the last call, or of a later failure outside a call.
    package var exit = RunStatus.success
    package var calls = 0
    /// Whether media flowed in any call.
    package var wasHeld = false
    /// The number of attempts in all calls.
    package var attempts = 0
    /// The setup times of the last call.
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
