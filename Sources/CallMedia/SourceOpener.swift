internal import CallCore
internal import FoundationEssentials
internal import GStreamerKit
internal import Glibc

/// Opens what `--source` names and says what it found.
@MediaActor
struct SourceOpener {
    let configuration: MediaConfiguration
    /// Hears what breaks once the source is open.
    let failures: AsyncStream<MediaFailure>.Continuation
    /// Hears what is sent in place of a camera that vanished.
    let tell: @Sendable (MediaNotice) -> Void

    struct Opened {
        var source: any LocalSource
        var notice: MediaNotice
    }

    private static let generatedSize = ["width": "1280", "height": "720", "framerate": "30"]

    /// - Throws: `MediaFailure`, or `GStreamerError`.
    func open() async throws -> Opened {
        switch configuration.source {
        case .none:
            let notice = MediaNotice.source(kind: "none", name: "none", video: nil, audio: nil, reason: nil)
            return Opened(source: EmptySource(), notice: notice)
        case .pattern: return try openPattern()
        case .camera(let device): return try await openCamera(device)
        case .file(let path): return try await openFile(path, reason: nil)
        case .test: return try await openFile(configuration.testVideo, reason: nil)
        case .auto:
            guard configuration.scope.kinds.contains(.video) else {
                return try await openFile(configuration.testVideo, reason: "a camera has no sound")
            }
            for device in Self.cameras {
                do { return try await openCamera(device) } catch { try Task.checkCancellation() }
            }
            let reason = Self.cameras.isEmpty ? "no camera" : "no camera delivers a picture"
            return try await openFile(configuration.testVideo, reason: reason)
        }
    }

    private func openPattern() throws -> Opened {
        let source = try LiveSource(
            description: configuration.library.description("sources/pattern", Self.generatedSize),
            failures: failures
        ) { .pipeline(element: "pattern", message: $0) }
        let encoded = MediaNotice.Passthrough.encoded(reason: "generated")
        return Opened(
            source: source,
            notice: .source(kind: "pattern", name: "pattern", video: encoded, audio: encoded, reason: nil)
        )
    }

    private func openCamera(_ device: String?) async throws -> Opened {
        guard let path = device ?? Self.cameras.first else {
            throw MediaFailure.source(
                message: "there is no camera (no /dev/video*)",
                hint: "connect one, or use --source test, --source pattern or --source FILE"
            )
        }
        let failure = MediaFailure.source(
            message: "the camera \(path) delivers no picture",
            hint: "see `callrunner doctor`; --source test and --source pattern need no camera"
        )
        guard FileManager.default.fileExists(atPath: path) else {
            let others =
                Self.cameras.isEmpty
                ? "there is no other" : "there is \(Self.cameras.joined(separator: ", "))"
            throw MediaFailure.source(
                message: "there is no camera \(path); \(others)",
                hint: "name another one, or use --source test, --source pattern or --source FILE"
            )
        }
        let description = try configuration.library.description("sources/camera", Self.generatedSize)
        let (losses, loss) = AsyncStream.makeStream(of: MediaFailure.self)
        let source = try LiveSource(
            description: description,
            configure: { $0.element(named: "camera")?.set("device", path) },
            failures: loss
        ) { .source(message: "the camera \(path) failed: \($0)", hint: "is it still connected?") }
        do {
            try await source.deliversPicture(within: .seconds(1), otherwise: failure)
        } catch {
            await source.close()
            throw error
        }
        let encoded = MediaNotice.Passthrough.encoded(reason: "camera")
        return Opened(
            source: CameraSource(source, losses: losses, failures: failures, replacement: openReplacement),
            notice: .source(kind: "camera", name: path, video: encoded, audio: nil, reason: nil)
        )
    }

    /// The test video's pictures, in the form in which the camera's came, and the news of it.
    func openReplacement(for loss: MediaFailure) async throws -> any LocalSource {
        let path = configuration.testVideo
        var contents = try await FileProbe.read(path: path, library: configuration.library)
        contents.audio = nil
        let source = try await FileSource(
            path: path,
            contents: contents,
            decodes: true,
            library: configuration.library,
            failures: failures
        )
        tell(
            .source(
                kind: "file",
                name: Self.name(of: path),
                video: .encoded(reason: "in the camera's place"),
                audio: nil,
                reason: loss.sentence
            )
        )
        return source
    }

    private static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    private func openFile(_ path: String, reason: String?) async throws -> Opened {
        guard FileManager.default.isReadableFile(atPath: path) else {
            let exists = FileManager.default.fileExists(atPath: path)
            throw MediaFailure.source(
                message: exists ? "\(path) cannot be read" : "there is no file \(path)",
                hint: exists ? "see its permissions" : "see the spelling, or use --source test"
            )
        }
        guard Self.isRegularFile(path) else {
            throw MediaFailure.source(
                message: "\(path) is no regular file",
                hint: "give an MP4 or MKV file, or use --source test"
            )
        }
        let contents = try await FileProbe.read(path: path, library: configuration.library)
            .keeping(configuration.scope.kinds)
        let source = try await FileSource(
            path: path,
            contents: contents,
            library: configuration.library,
            failures: failures
        )
        let (video, audio) = (passthrough(contents.video), passthrough(contents.audio))
        let obstacles = [video, audio].compactMap { passthrough -> String? in
            if case .encoded(let reason) = passthrough { reason } else { nil }
        }
        let why = ([reason].compactMap(\.self) + obstacles).joined(separator: "; ")
        return Opened(
            source: source,
            notice: .source(
                kind: "file",
                name: Self.name(of: path),
                video: video,
                audio: audio,
                reason: why.isEmpty ? nil : why
            )
        )
    }

    private func passthrough(_ stream: FileContents.Stream?) -> MediaNotice.Passthrough? {
        stream.map {
            FileContents.obstacle(to: $0).map { .encoded(reason: "\($0) is transcoded") } ?? .untouched
        }
    }

    /// A pipe would hold up whoever opens it, a folder is no medium.
    private static func isRegularFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// The v4l2 devices, by number.
    static var cameras: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
        return names.filter { $0.hasPrefix("video") }.compactMap { Int($0.dropFirst(5)) }.sorted()
            .map { "/dev/video\($0)" }
    }
}
