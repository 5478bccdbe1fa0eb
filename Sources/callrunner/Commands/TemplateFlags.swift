internal import ArgumentParser

/// The flag for the folder of the pipeline templates.
struct TemplateFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Folder with the pipeline templates",
            .pipelines,
            "dir",
            otherwise: "the installed one"
        )
    )
    var pipelines: String?
}
