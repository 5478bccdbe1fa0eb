internal import CallCore
internal import FoundationEssentials
internal import GStreamerKit

// What has no streams of its own: pictures that are made or captured here.

extension SourceOpener {
    func openPattern() throws -> Opened {
        let source = try LiveSource(
            description: library.description("sources/pattern", settings.placeholders),
            news: news
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
                    "see that DISPLAY names an X11 display and `xdpyinfo` may open it; Wayland is not captured"
            )
        }
        var values = settings.placeholders
        values["size"] = settings.size.map { ",width=\($0.width),height=\($0.height)" } ?? ""
        let source = try LiveSource(
            description: library.description("sources/screen", values),
            stands: .running,
            news: news,
            failure: failure
        )
        do {
            try await source.delivers(within: .seconds(5), otherwise: failure("no picture within 5 s"))
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

    // MARK: Cameras

    func openCamera(_ device: String?) async throws -> Opened {
        guard let path = device ?? Self.cameras.first else {
            throw MediaFailure.source(
                message: "there is no camera (no /dev/video*)",
                hint: "connect one, or use --source test, --source pattern or --source FILE"
            )
        }
        guard FileManager.default.fileExists(atPath: path) else {
            let others =
                Self.cameras.isEmpty
                ? "there is no other" : "there is \(Self.cameras.joined(separator: ", "))"
            throw MediaFailure.source(
                message: "there is no camera \(path); \(others)",
                hint: "name another one, or use --source test, --source pattern or --source FILE"
            )
        }
        let (losses, loss) = AsyncStream.makeStream(of: MediaFailure.self)
        let (camera, format) = try await openCamera(path, news.losing(to: loss))
        let encoded = MediaNotice.Passthrough.encoded(reason: "camera")
        let source = ReplaceableSource(camera, losses: losses, news: news, replacement: openReplacement)
        return Opened(
            source: source,
            notice: .source(
                kind: "camera",
                name: path,
                video: encoded,
                audio: nil,
                reason: format.map { reason(for: $0) }
            ),
            selectCamera: { [weak source] other in
                let camera = try await openCamera(other, news.losing(to: loss)).0
                if let source { await source.replace(by: camera) } else { await camera.close() }
            }
        )
    }

    /// The camera in the first of its formats that delivers a picture within a second.
    private func openCamera(_ path: String, _ news: SourceNews) async throws -> (LiveSource, CameraFormat?) {
        let formats = try cameraFormats(path)
        let choices = CameraFormat.choices(among: formats, size: settings.size, rate: settings.rate)
        let silence = MediaFailure.source(
            message: "the camera \(path) delivers no picture",
            hint: "see `callrunner devices`; --source test and --source pattern need no camera"
        )
        var failure: any Error = silence
        for choice in choices.map(Optional.some) + (choices.isEmpty ? [nil] : []) {
            let camera = try LiveSource(
                description: cameraDescription(choice),
                stands: .running,
                configure: { Self.set(path, in: $0) },
                news: news
            ) { .source(message: "the camera \(path) failed: \($0)", hint: "is it still connected?") }
            do {
                try await camera.delivers(within: .seconds(1), otherwise: silence)
                return (camera, choice)
            } catch {
                await camera.close()
                try Task.checkCancellation()
                failure = error
            }
        }
        throw failure
    }

    /// What the device says it can; nothing where it does not say.
    private func cameraFormats(_ path: String) throws -> [PictureFormat] {
        let pipeline = try Pipeline(parsing: cameraDescription(nil), name: "camera-formats")
        Self.set(path, in: pipeline)
        return pipeline.element(named: "camera")?.capsOfOpenDevice()?.pictureFormats ?? []
    }

    private static func set(_ device: String, in pipeline: Pipeline) {
        guard let camera = pipeline.element(named: "camera"), camera.has("device") else { return }
        camera.set("device", device)
    }

    private func cameraDescription(_ format: CameraFormat?) throws -> String {
        var settings = settings
        if let format { (settings.size, settings.rate) = (format.size, format.rate) }
        var values = settings.placeholders
        values["format"] = format?.caps ?? "video/x-raw;image/jpeg;video/x-h264"
        return try library.description("sources/camera", values)
    }

    private func reason(for format: CameraFormat) -> String {
        let coding =
            switch format.coding {
            case .raw: "uncompressed"
            case .motionJPEG: "as Motion JPEG"
            case .h264: "as H.264"
            }
        let what = "\(format.size) at \(format.rate) fps, \(coding)"
        guard let wanted = settings.size, wanted != format.size else { return what }
        return "\(what); it has no \(wanted)"
    }

    /// The test video's pictures, in the form in which the camera's came, and the news of it.
    func openReplacement(for loss: MediaFailure) async throws -> any LocalSource {
        let place = MediumLocation.file(configuration.testVideo)
        var contents = try await FileProbe.read(place, library: library)
        contents.audio = nil
        let source = try await FileSource(
            place,
            contents: contents,
            decodes: true,
            library: library,
            news: news
        )
        tell(
            .source(
                kind: "file",
                name: place.shortName,
                video: .encoded(reason: "in the camera's place"),
                audio: nil,
                reason: loss.sentence
            )
        )
        return source
    }

    /// The v4l2 devices, by number.
    static var cameras: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
        return names.filter { $0.hasPrefix("video") }.compactMap { Int($0.dropFirst(5)) }.sorted()
            .map { "/dev/video\($0)" }
    }

    // MARK: The user's own

    func openDescription(_ path: String) async throws -> Opened {
        try Self.expectFile(
            path,
            hint: "give a file in gst-launch's syntax with app sinks “video” and “audio”"
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
                stands: .running,
                isPaced: true,
                endName: name,
                news: news,
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
                otherwise: failure("nothing comes within 10 s")
            )
            source.set(try caps.mapValues { try Self.format(of: $0, failure) })
        } catch {
            await source.close()
            throw error
        }
        return Opened(source: source, notice: notice(of: name, source))
    }

    /// How the user's own stream goes out: as it is where that can be packetized.
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
                "its H.264 must end in “h264parse config-interval=-1 ! "
                    + "video/x-h264,stream-format=byte-stream,alignment=au”"
            )
        }
        return .encoded(.h264, h264: stream.h264)
    }

    private func notice(of name: String, _ source: LiveSource) -> MediaNotice {
        let passthrough = { (kind: MediaKind) -> MediaNotice.Passthrough? in
            source.tracks.first { $0.kind == kind }.map {
                $0.passthroughCodec == nil ? .encoded(reason: "a pipeline of one's own") : .untouched
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
