internal import ArgumentParser

/// The flags for the window of a call.
struct PresentationFlags: ParsableArguments {
    @Flag(help: "Show the call in a window (the default where there is a display).")
    var window = false

    @Flag(help: "Show nothing and decode nothing (the default where there is no display).")
    var headless = false
}
