internal import Basics
internal import FoundationEssentials
internal import GStreamerKit

// Opening cameras, and the test video that replaces a lost camera.

extension SourceOpener {
    func openCamera(_ device: String?) async throws -> Opened {
        guard let path = device ?? camerasByPreference.first else {
            throw MediaFailure.source(
                message: "there is no camera (no /dev/video*)",
                hint: "connect one, or use --source test, --source pattern or --source FILE"
            )
        }
        guard FileManager.default.fileExists(atPath: path) else {
            let others =
                Self.cameras.isEmpty
                ? "none is connected" : "connected: \(Self.cameras.joined(separator: ", "))"
            throw MediaFailure.source(
                message: "there is no camera \(path); \(others)",
                hint: "choose another one, or use --source test, --source pattern or --source FILE"
            )
        }
        let losses = SourceLosses()
        let (attemptEvents, number) = losses.next(events)
        let (camera, format) = try await openCamera(path, attemptEvents)
        let encoded = MediaNotice.Passthrough.encoded(reason: "camera")
        let source = ReplaceableSource((camera, number), losses: losses, events: events) { loss in
            (try await openReplacement(for: loss), losses.next(events).number)
        }
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
                let (attemptEvents, number) = losses.next(events)
                let camera = try await openCamera(other, attemptEvents).0
                if let source { await source.replace(by: (camera, number)) } else { await camera.close() }
            },
            camera: path,
            missing: missingCamera(beside: path)
        )
    }

    /// Opens the camera in the first of its formats that delivers a frame within a second.
    private func openCamera(_ path: String, _ events: SourceEvents) async throws -> (
        LiveSource, CameraFormat?
    ) {
        let formats = try cameraFormats(path)
        let choices = CameraFormat.choices(among: formats, size: settings.size, rate: settings.rate)
        let silence = MediaFailure.source(
            message: "the camera \(path) delivers no video",
            hint: "run `callrunner devices`; --source test and --source pattern need no camera"
        )
        var failure: any Error = silence
        for choice in choices.map(Optional.some) + (choices.isEmpty ? [nil] : []) {
            let camera = try LiveSource(
                description: cameraDescription(choice),
                idleMode: .running,
                configure: { Self.set(path, in: $0) },
                events: events
            ) {
                .source(message: "the camera \(path) failed: \($0)", hint: "check that it is still connected")
            }
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

    /// Queries the video formats of a camera; the result is empty if the camera does not report any.
    private func cameraFormats(_ path: String) throws -> [VideoFormat] {
        let pipeline = try Pipeline(parsing: cameraDescription(nil), name: "camera-formats")
        Self.set(path, in: pipeline)
        return pipeline.element(named: "camera")?.capsOfOpenDevice()?.videoFormats ?? []
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
        return "\(what); the camera does not support \(wanted)"
    }

    /// Opens the video of the test file as raw video, like that of a camera, and reports the replacement.
    func openReplacement(for loss: MediaFailure) async throws -> any LocalSource {
        let place = MediaURL.file(request.testVideo)
        var contents = try await FileProbe.read(place, library: library)
        contents.audio = nil
        let source = try await FileSource(
            place,
            contents: contents,
            decodes: true,
            library: library,
            events: events
        )
        notify(
            .source(
                kind: "file",
                name: place.shortName,
                video: .encoded(reason: "replacement for the camera"),
                audio: nil,
                reason: loss.sentence
            )
        )
        return source
    }

    /// The v4l2 devices, with the preferred one first.
    var camerasByPreference: [String] {
        let preferred = request.preferredCamera?.id
        let cameras = Self.cameras
        return cameras.filter { $0 == preferred } + cameras.filter { $0 != preferred }
    }

    /// Warns and returns the preferred camera if another camera, or none, is used instead; otherwise, the result is
    /// empty.
    func missingCamera(beside path: String?) -> [MediaDevice] {
        guard request.choice == .auto || request.choice == .camera(nil),
            let preferred = request.preferredCamera, preferred.id != path
        else { return [] }
        let substitute = path.map { "the camera \($0)" } ?? "the test video"
        events.warn("the camera \(preferred.id), chosen earlier, cannot be used; \(substitute) is sent")
        return [preferred]
    }

    /// The v4l2 devices, sorted by number.
    package static var cameras: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
        return names.filter { $0.hasPrefix("video") }.compactMap { Int($0.dropFirst(5)) }.sorted()
            .map { "/dev/video\($0)" }
    }
}
