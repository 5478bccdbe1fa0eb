internal import ArgumentParser

/// The flags for the window of a call.
struct PresentationFlags: ParsableArguments {
    @Flag(help: "Show the call in a window (the default with a display).")
    var window = false

    @Flag(help: "Show nothing, and decode only for snapshots and --speaker (the default without a display).")
    var headless = false
}
