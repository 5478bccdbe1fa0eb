package import Basics
internal import FoundationEssentials
package import GStreamerKit
internal import Glibc

/// Opens the requested source and describes it in a notice.
@MediaActor
package struct SourceOpener {
    let request: SourceRequest
    /// The callbacks of the opened source.
    package let events: SourceEvents
    /// Called with a notice when the source of a URL is lost, and when a lost source is reopened or replaced.
    let notify: @Sendable (MediaNotice) -> Void

    package struct Opened {
        package var source: any LocalSource
        package var notice: MediaNotice
        /// Switches to another camera; nil if the source is not a camera or cannot be switched.
        package var selectCamera: (@MediaActor @Sendable (String) async throws -> Void)?
        /// The path of the camera, even if the camera was lost; nil if the source is not a camera, or is shared by several
        /// calls.
        package var camera: String?
        /// The microphone; nil if none is used.
        package var microphone: Microphone?
        /// The preferred devices that cannot be used.
        package var missing: [MediaDevice] = []
    }

    package init(
        request: SourceRequest,
        events: SourceEvents,
        notify: @escaping @Sendable (MediaNotice) -> Void
    ) {
        (self.request, self.events, self.notify) = (request, events, notify)
    }

    var library: PipelineLibrary { request.library }
    var settings: SourceSettings { request.settings }

    /// Opens the requested source.
    ///
    /// - Throws: `MediaFailure`, `GStreamerError`, or `CancellationError`.
    package func open() async throws -> Opened {
        switch request.choice {
        case .none:
            let notice = MediaNotice.source(kind: "none", name: "none", video: nil, audio: nil, reason: nil)
            return Opened(source: EmptySource(), notice: notice)
        case .pattern: return try openPattern()
        case .screen: return try await openScreen()
        case .camera(let device): return try await openCamera(device)
        case .description(let path): return try await openDescription(path)
        case .url(let url): return try await openAddress(MediaURL(url: url))
        case .file(let path): return try await openFile(path, reason: nil)
        case .test: return try await openFile(request.testVideo, reason: nil)
        case .auto:
            guard request.kinds.contains(.video) else {
                return try await openFile(request.testVideo, reason: "a camera has no audio")
            }
            for device in camerasByPreference {
                do { return try await openCamera(device) } catch { try Task.checkCancellation() }
            }
            let reason = Self.cameras.isEmpty ? "no camera" : "no camera delivers video"
            var opened = try await openFile(request.testVideo, reason: reason)
            opened.missing = missingCamera(beside: nil)
            return opened
        }
    }

    private func openFile(_ path: String, reason: String?) async throws -> Opened {
        try Self.expectFile(path)
        try Playlists.refuse(path)
        try await ContainerCheck.refuseInBackground(path)
        let place = MediaURL.file(path)
        let contents = try await contents(of: place)
        let source = try await FileSource(
            place,
            contents: contents,
            settings: settings,
            library: library,
            events: events
        )
        return Opened(source: source, notice: notice("file", place, contents, reason: reason))
    }

    /// Determines the streams of a file or URL, limited to the requested kinds of media.
    func contents(of place: MediaURL) async throws -> FileContents {
        try await FileProbe.read(place, library: library).keeping(request.kinds)
    }

    /// Checks that a path is a readable regular file; opening a pipe would block.
    ///
    /// - Throws: `MediaFailure.source` if it is not.
    package nonisolated static func expectFile(
        _ path: String,
        hint: String = "give an MP4, MKV or WebM file, or use --source test"
    ) throws(MediaFailure) {
        guard FileManager.default.isReadableFile(atPath: path) else {
            let exists = FileManager.default.fileExists(atPath: path)
            throw .source(
                message: exists ? "\(path) cannot be read" : "there is no file \(path)",
                hint: exists ? "check its permissions" : "check the spelling, or use --source test"
            )
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .source(message: "\(path) is not a regular file", hint: hint)
        }
    }

    /// Creates the notice for an opened file or URL.
    func notice(
        _ kind: String,
        _ place: MediaURL,
        _ contents: FileContents,
        reason: String?
    ) -> MediaNotice {
        let (video, audio) = (passthrough(contents.video), passthrough(contents.audio))
        let obstacles = [video, audio].compactMap { passthrough -> String? in
            if case .encoded(let reason) = passthrough { reason } else { nil }
        }
        let missing = contents.video == nil ? ["no video"] : contents.audio == nil ? ["no audio"] : []
        let why = ([reason].compactMap(\.self) + obstacles + missing).joined(separator: "; ")
        return .source(
            kind: kind,
            name: place.shortName,
            video: video,
            audio: audio,
            reason: why.isEmpty ? nil : why
        )
    }

    private func passthrough(_ stream: FileContents.Stream?) -> MediaNotice.Passthrough? {
        stream.map {
            FileContents.obstacle(to: $0).map { .encoded(reason: "\($0) is transcoded") } ?? .untouched
        }
    }
}
