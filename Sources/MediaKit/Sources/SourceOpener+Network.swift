internal import Basics
internal import GStreamerKit

// Opening URLs, and reopening them after an interruption.

extension SourceOpener {
    /// The pauses before the successive attempts to reopen an interrupted stream.
    private static let pauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4)]

    func openAddress(_ place: MediaURL) async throws -> Opened {
        let losses = SourceLosses()
        let (attemptEvents, number) = losses.next(events)
        let (source, notice) = try await openMedia(at: place, attemptEvents)
        let formats = source.tracks.map(\.format)
        let whole = ReplaceableSource((source, number), losses: losses, events: events) { failure in
            try await reopen(place, losses, formats: formats, after: failure)
        }
        return Opened(source: whole, notice: notice)
    }

    /// Checks the address and the contents of a URL, and opens it.
    ///
    /// - Returns: The source, and the notice about it.
    func openMedia(
        at place: MediaURL,
        _ events: SourceEvents
    ) async throws -> (any LocalSource, MediaNotice) {
        if let command = request.loader, case .url(let url) = request.choice {
            let setup = LoaderSetup(url: url, settings: settings, kinds: request.kinds)
            return try await SeparateSource.open(place, setup, with: command, events: events)
        }
        guard case .http(let url, _) = place else {
            let contents = try await contents(of: place)
            let source = try await openLive(place, contents, events)
            return (source, notice("url", place, contents, reason: nil))
        }
        guard let service = request.webMedia else {
            throw place.failure("media of URLs is not supported here")
        }
        do {
            let medium = try await service.find(url)
            let contents = try await load(url, medium, service) { place, gateway in
                try await FileProbe.read(place, through: gateway, library: library).keeping(request.kinds)
            }
            let source = try await load(url, medium, service, keepsGateway: true) { place, gateway in
                try await FileSource(
                    place,
                    through: gateway,
                    contents: contents,
                    settings: settings,
                    library: library,
                    events: events
                )
            }
            return (source, notice("url", place, contents, reason: nil))
        } catch let failure as WebMediaFailure { throw place.failure(failure.reason) }
    }

    /// Calls `body` with the location from which the media of a URL is loaded and, for a playlist, with its gateway.
    ///
    /// The gateway is closed if `body` fails or `keepsGateway` is false.
    private func load<Result>(
        _ url: String,
        _ medium: WebMedium,
        _ service: any WebMediaService,
        keepsGateway: Bool = false,
        _ body: (MediaURL, (any PlaylistGateway)?) async throws -> Result
    ) async throws -> Result {
        guard case .playlist(let playlist) = medium else { return try await body(.http(url, medium), nil) }
        let gateway = try await service.gateway(to: playlist)
        do {
            let result = try await body(.http(url, .playlist(gateway.address)), gateway)
            if !keepsGateway { await gateway.close() }
            return result
        } catch {
            await gateway.close()
            throw error
        }
    }

    private func openLive(
        _ place: MediaURL,
        _ contents: FileContents,
        _ events: SourceEvents
    ) async throws -> any LocalSource {
        guard settings.start == .zero else {
            throw MediaFailure.source(
                message: "\(place.name) is live, so there is no position to start at",
                hint: "omit --start"
            )
        }
        var formats: [MediaKind: SourceTrack.Format] = [:]
        for (kind, stream) in [(MediaKind.video, contents.video), (.audio, contents.audio)] {
            if let stream { formats[kind] = FileSource.format(of: stream, decodes: false) }
        }
        let source = try LiveSource(
            description: FileSource.description(of: place, contents, decodes: false, library),
            formats: formats,
            idleMode: .running,
            endName: settings.isPlayedOnce ? place.name : nil,
            configure: place.set,
            events: events,
            failure: place.failure
        )
        do {
            let failure = place.failure("no data arrives within 10 s")
            try await source.delivers(within: .seconds(10), otherwise: failure)
            source.expectNoSilence(place.failure("no more data arrives"))
        } catch {
            await source.close()
            throw error
        }
        return source
    }

    /// Tries up to three times to reopen the URL, until it provides the same streams as before.
    ///
    /// - Throws: the last failure.
    private func reopen(
        _ place: MediaURL,
        _ losses: SourceLosses,
        formats: [SourceTrack.Format],
        after loss: MediaFailure
    ) async throws -> ReplaceableSource.Numbered {
        notify(.warning("\(loss.sentence); trying to open it again"))
        var failure: any Error = loss
        for pause in Self.pauses {
            try await Task.sleep(for: pause)
            do {
                let (attemptEvents, number) = losses.next(events)
                let (source, _) = try await openMedia(at: place, attemptEvents)
                guard source.tracks.map(\.format) == formats else {
                    await source.close()
                    throw place.failure("after reconnecting, its streams have other formats")
                }
                notify(.warning("\(place.name) is connected again"))
                return (source, number)
            } catch {
                try Task.checkCancellation()
                failure = error
            }
        }
        throw failure
    }
}
