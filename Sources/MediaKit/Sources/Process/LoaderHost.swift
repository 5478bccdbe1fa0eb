package import Basics
internal import GLibKit
package import GStreamerKit
internal import Glibc

/// The loader in the process that `SeparateSource` starts.
@MediaActor
package final class LoaderHost {
    private let library: PipelineLibrary
    private let webMedia: any WebMediaService
    private let host: ProcessHost<LoaderRequest, LoaderReport>
    private let samples = SampleWriter(ChildProcess.firstDescriptor) { _exit(0) }
    private var source: (any LocalSource)?

    /// Takes over the pipes from the starting process.
    ///
    /// - Throws: `MediaFailure` if this process was not started as a loader.
    package init(library: PipelineLibrary, webMedia: any WebMediaService) throws(MediaFailure) {
        var status = stat()
        guard fstat(ChildProcess.firstDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
            throw .source(
                message: "callrunner itself starts this command, to load the media of a URL",
                hint: ""
            )
        }
        (self.library, self.webMedia) = (library, webMedia)
        host = ProcessHost(others: 1)
        // Initialization takes a while, so it begins before the first request.
        GStreamer.start()
    }

    /// Loads media until the starting process ends the requests, then ends this process.
    package func run() async {
        await host.run {
            await self.perform($0)
        } end: {
            await self.leave()
        }
    }

    /// Ends the session with an RTSP server, which may limit the number of sessions.
    private func leave() async {
        await (source as? LiveSource)?.close()
    }

    private func perform(_ requests: AsyncStream<LoaderRequest>) async {
        await withDiscardingTaskGroup { group in
            group.addTask { [host] in await host.beat { await Self.pass() } }
            for await request in requests {
                switch request {
                case .open(let setup): await open(setup)
                case .play: play()
                case .rest: source?.rest()
                }
            }
        }
    }

    private static func pass() {}

    private func open(_ setup: LoaderSetup) async {
        let events = SourceEvents(
            failed: { [host] in host.report(.failed($0)) },
            warn: { [host] in host.report(.warned($0)) },
            ended: { [host] in host.report(.ended($0)) }
        )
        let request = SourceRequest(
            choice: .url(setup.url),
            settings: setup.settings,
            testVideo: "",
            kinds: setup.kinds,
            preferredCamera: nil,
            library: library,
            webMedia: webMedia
        )
        do {
            let opener = SourceOpener(request: request, events: events) { _ in }
            let (source, notice) = try await opener.openMedia(at: MediaURL(url: setup.url), events)
            guard case .source(_, _, let video, let audio, let reason) = notice else { return }
            for (number, track) in source.tracks.enumerated() {
                _ = track.hub.attach { [samples] in samples.write($0, of: UInt32(number)) }
            }
            self.source = source
            let tracks = source.tracks.map {
                LoadedMedia.Track(kind: $0.kind, format: $0.format, mode: $0.mode)
            }
            host.report(.opened(LoadedMedia(tracks: tracks, video: video, audio: audio, reason: reason)))
        } catch {
            host.report(.refused(MediaFailure(error)))
        }
    }

    private func play() {
        do { try source?.connectionIsUp() } catch { host.report(.failed(MediaFailure(error))) }
    }
}
