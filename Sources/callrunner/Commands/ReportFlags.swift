internal import ArgumentParser

/// The flags for metrics and bug reports.
struct ReportFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Save session descriptions, candidates, events, pipeline graphs and versions to a new folder, without secrets",
            .dump,
            "folder",
            otherwise: "nothing is saved"
        )
    )
    var dump: String?

    @Option(
        help: ArgumentHelp(
            "Serve metrics for Prometheus at http://127.0.0.1:N/metrics; 0 takes any free port",
            .metricsPort,
            "n",
            otherwise: "not served"
        )
    )
    var metricsPort: String?
}
