internal import ArgumentParser

/// The flags for metrics and bug reports.
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

    @Option(
        help: ArgumentHelp(
            "Serve the statistics on http://127.0.0.1:N/metrics in Prometheus' format; 0 takes any free port",
            .metricsPort,
            "n",
            otherwise: "not served"
        )
    )
    var metricsPort: String?
}
