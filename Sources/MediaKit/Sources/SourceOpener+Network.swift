internal import Basics
internal import GStreamerKit

// Opening URLs, and reopening them after an interruption.

extension SourceOpener {
    /// The pauses before the successive attempts to reopen an interrupted stream.
    private static let pauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4)]

    func openAddress(_ place: MediaURL) async throws -> Opened {
        let losses = SourceLosses()
        let (attemptEvents, number) = losses.next(events)
        let contents = try await contents(of: place)
        let source = try await open(place, contents, attemptEvents)
        let formats = source.tracks.map(\.format)
        let whole = ReplaceableSource((source, number), losses: losses, events: events) { failure in
            try await reopen(place, losses, formats: formats, after: failure)
        }
        return Opened(source: whole, notice: notice("url", place, contents, reason: nil))
    }

    private func open(
        _ place: MediaURL,
        _ contents: FileContents,
        _ events: SourceEvents
    ) async throws -> any LocalSource {
        guard case .rtsp = place else {
            return try await FileSource(
                place,
                contents: contents,
                settings: settings,
                library: library,
                events: events
            )
        }
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
                let contents = try await contents(of: place)
                let (attemptEvents, number) = losses.next(events)
                let source = try await open(place, contents, attemptEvents)
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
