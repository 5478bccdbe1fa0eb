internal import ArgumentParser

/// What is kept for whoever looks for the cause of a failure.
struct ReportFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Keep descriptions, candidates, events, pipeline graphs and versions in a new folder, secrets removed",
            .dump,
            "folder",
            otherwise: "nothing is kept"
        )
    )
    var dump: String?
}
