internal import ArgumentParser
internal import Basics
internal import MediaKit

/// The command that repairs an interrupted recording.
struct RecoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Repair a recording that was cut short.",
        usage: "callrunner recover <file> [<out>] <options>",
        discussion: """
            After kill -9 or a power cut a recording plays up to its last half second, but
            has no duration and no index, so that players cannot seek in it. This writes
            the same streams, unchanged, to a new file with both; the old file is kept.

            EXAMPLES
              callrunner recover call.mkv              # writes call-recovered.mkv
              callrunner recover call.mp4 whole.mp4

            The exit code is 0, 3 if no media can be read from FILE, or 5 if OUT
            cannot be written.
            """
    )

    @Argument(help: ArgumentHelp("The recording: .mkv, .webm or .mp4.", valueName: "file"))
    var file: String

    @Argument(
        help: ArgumentHelp("The new file (default: FILE with -recovered before the dot).", valueName: "out")
    )
    var out: String?

    @Flag(help: "Let OUT replace an existing file.")
    var overwrite = false

    @OptionGroup var templates: TemplateFlags

    @OptionGroup(title: "Output") var output: OutputFlags

    func run() async throws {
        try await Surroundings.run(output) { surroundings in
            let watch = InterruptionWatch()
            return try await watch.during(surroundings.console, surroundings.events) {
                try await recover(surroundings, watch.store)
            }
        }
    }

    /// Repairs the recording.
    ///
    /// - Returns: The exit code.
    private func recover(
        _ surroundings: Surroundings,
        _ interruption: StateStore<Interruption?>
    ) async throws -> Int32 {
        let installation = try Installation(
            pipelines: try surroundings.settings.text(.pipelines, templates.pipelines),
            environment: surroundings.environment
        )
        let container = try Recovery.container(of: file)
        let target = out ?? Self.name(beside: file, container)
        guard !RecordingFile.areSame(file, target) else {
            throw Failure.usage("OUT and FILE are the same file", hint: "name another file for OUT")
        }
        if let named = Container(path: target), named != container {
            throw Failure.usage(
                "FILE is a .\(container) recording, and OUT ends in .\(named)",
                hint:
                    "recover copies the streams and does not convert them; name OUT with the extension .\(container)"
            )
        }
        let place = try RecordingFile(path: target, container: container, overwrite: overwrite)
        defer { place.removeIfEmpty() }
        let part = try PartialFile(for: target)
        defer { part.discard() }
        do {
            var saved = try await write(to: part, installation.library, interruption)
            try part.takeName()
            saved.path = target
            let notice = MediaNotice.recordingSaved(saved)
            if let (name, fields) = notice.event { await surroundings.events.write(name, fields) }
            if let summary = notice.sentence?.trimmingPrefix("recorded ") {
                // The recording may have been intact, so the message does not say that it was repaired.
                surroundings.console.say("copied the playable part to \(summary)", .good)
            }
            return 0
        } catch {
            guard let exit = interruption.state?.exit else { throw error }
            return exit
        }
    }

    /// Writes the repaired recording.
    ///
    /// - Throws: `CancellationError` if the command is interrupted, or the error of the recovery.
    private func write(
        to part: PartialFile,
        _ library: PipelineLibrary,
        _ interruption: StateStore<Interruption?>
    ) async throws -> SavedRecording {
        try await withThrowingTaskGroup(of: SavedRecording?.self) { group in
            group.addTask { try await Recovery(of: file, library: library).write(to: part) }
            group.addTask {
                for await reason in interruption.states where reason != nil { break }
                return nil
            }
            defer { group.cancelAll() }
            guard let saved = try await group.next() ?? nil else { throw CancellationError() }
            return saved
        }
    }

    private static func name(beside path: String, _ container: Container) -> String {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let dot = path[slash...].lastIndex(of: ".") ?? path.endIndex
        return "\(path[..<dot])-recovered.\(container)"
    }
}
