internal import Basics
internal import FoundationEssentials
internal import GStreamerKit

// Opening sources that are generated or captured locally.

extension SourceOpener {
    func openPattern() throws -> Opened {
        let source = try LiveSource(
            description: library.description("sources/pattern", settings.placeholders),
            events: events
        ) { .pipeline(element: "pattern", message: $0) }
        let encoded = MediaNotice.Passthrough.encoded(reason: "generated")
        return Opened(
            source: source,
            notice: .source(kind: "pattern", name: "pattern", video: encoded, audio: encoded, reason: nil)
        )
    }

    func openScreen() async throws -> Opened {
        let display = ProcessInfo.processInfo.environment["DISPLAY"] ?? ""
        let failure = { @Sendable (reason: String) in
            MediaFailure.source(
                message: "the screen \(display) cannot be captured: \(reason)",
                hint:
                    "check that DISPLAY names an X11 display that `xdpyinfo` can open; Wayland is not supported"
            )
        }
        var values = settings.placeholders
        values["size"] = settings.size.map { ",width=\($0.width),height=\($0.height)" } ?? ""
        let source = try LiveSource(
            description: library.description("sources/screen", values),
            idleMode: .running,
            events: events,
            failure: failure
        )
        source.watch(CapturedDisplay(), otherwise: failure("the connection to its X server is lost"))
        do {
            try await source.delivers(within: .seconds(5), otherwise: failure("no frame within 5 s"))
        } catch {
            await source.close()
            throw error
        }
        let encoded = MediaNotice.Passthrough.encoded(reason: "screen")
        return Opened(
            source: source,
            notice: .source(kind: "screen", name: display, video: encoded, audio: nil, reason: nil)
        )
    }

    func openDescription(_ path: String) async throws -> Opened {
        try Self.expectFile(
            path,
            hint: "give a file in gst-launch syntax with an appsink named video or audio, or both"
        )
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let failure = { @Sendable (reason: String) in
            MediaFailure.source(
                message: "\(path) cannot be played: \(reason)",
                hint:
                    "try its elements with gst-launch-1.0; it must feed an appsink named video or audio, or both"
            )
        }
        let source: LiveSource
        do {
            let description = try PipelineLibrary.description(at: path, name: name, settings.placeholders)
            source = try LiveSource(
                description: description,
                idleMode: .running,
                isPaced: true,
                endName: name,
                events: events,
                failure: failure
            )
        } catch let error as GStreamerError { throw failure(error.description) }
        guard !source.tracks.isEmpty else {
            await source.close()
            throw failure("it has no appsink named video or audio")
        }
        let caps: [MediaKind: Caps]
        do {
            caps = try await source.delivers(
                within: .seconds(10),
                otherwise: failure("no data arrives within 10 s")
            )
            source.set(try caps.mapValues { try Self.format(of: $0, failure) })
        } catch {
            await source.close()
            throw error
        }
        return Opened(source: source, notice: notice(of: name, source))
    }

    /// Returns the format of a stream of the user's pipeline; `raw` if the stream must be encoded to be sent.
    private static func format(
        of caps: Caps,
        _ failure: (String) -> MediaFailure
    ) throws(MediaFailure) -> SourceTrack.Format {
        guard let codec = Codec(mediaType: caps.mediaType) else { return .raw }
        let stream = FileContents.Stream(caps: caps)
        guard FileContents.obstacle(to: stream) == nil else { return .raw }
        guard codec == .h264 else { return .encoded(codec, h264: nil) }
        guard caps.string("stream-format") == "byte-stream", caps.string("alignment") == "au" else {
            throw failure(
                "its H.264 branch must end in “h264parse config-interval=-1 ! "
                    + "video/x-h264,stream-format=byte-stream,alignment=au”"
            )
        }
        return .encoded(.h264, h264: stream.h264)
    }

    private func notice(of name: String, _ source: LiveSource) -> MediaNotice {
        let passthrough = { (kind: MediaKind) -> MediaNotice.Passthrough? in
            source.tracks.first { $0.kind == kind }.map {
                $0.passthroughCodec == nil ? .encoded(reason: "a custom pipeline") : .untouched
            }
        }
        return .source(
            kind: "pipeline",
            name: name,
            video: passthrough(.video),
            audio: passthrough(.audio),
            reason: nil
        )
    }
}
