internal import ArgumentParser

/// Whether a call is shown.
struct PresentationFlags: ParsableArguments {
    @Flag(help: "Show the call in a window (the default where there is a display).")
    var window = false

    @Flag(help: "Show nothing and decode nothing (the default where there is no display).")
    var headless = false
}
