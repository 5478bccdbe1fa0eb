internal import ArgumentParser

/// The command that joins a room and makes or answers a call.
struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Join a room and take part in a call (the default command).",
        discussion: """
            A caller calls as soon as its peer is in the room; a callee answers.

            EXAMPLES
              callrunner --room 1 --caller
              callrunner --room 1 --record call.mkv --duration 10s --json
              callrunner --room 1 --source film.mp4 --headless --peer-timeout 30s
              callrunner --room 1 --record-both '{room}-{peer}-{time}.mkv' --segment 10m
              callrunner --room 1 --calls 30 --record '{room}.mkv' --metrics-port 9100
              CALLRUNNER_TOKEN=… callrunner --server https://example.org --room 7

            EXIT CODES
              0    a call was established and ended, by either side
              2    a timeout expired: no peer, no answer, no media
              3    media failed: source, plugin, ICE, DTLS, codecs, no media received
              4    signaling failed: no server, room full, not authorized
              5    the recording failed: not writable, exists, disk full, nothing to keep
              64   usage error
              129, 130, 143  interrupted, after hanging up and closing the recordings
              141  the reader of standard output closed it before a call
            With several calls, the most severe code wins: 5, then 3, 4, 2.

            Every flag can also be set in the environment, as CALLRUNNER_SERVER or
            CALLRUNNER_PEER_TIMEOUT, or in ~/.config/callrunner/config.json, as
            {"server": "https://example.org"}; see `callrunner config show`.
            """
    )

    @OptionGroup var flags: CallFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func run() async throws {
        try await Surroundings.run(output, summarizes: true) { surroundings in
            let request = try CallRequest(flags, surroundings.settings)
            let watch = InterruptionWatch()
            return try await watch.during(surroundings.console, surroundings.events) {
                try await CallProgram(
                    request: request,
                    surroundings: surroundings,
                    interruption: watch.store
                ).hold()
            }
        }
    }
}
