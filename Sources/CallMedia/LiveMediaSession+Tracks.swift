internal import CallCore
internal import GStreamerKit

extension LiveMediaSession {
    /// Lays every stream that was settled on, before the connection is up; nothing flows yet.
    func prepareTracks(_ settled: [Int: CodecPlan.Choice]) async throws {
        var received: [MediaKind: Codec] = [:]
        for (index, choice) in settled {
            let kind = choice.codec.kind
            choices[kind] = choice
            if let pad = pads[index], let stream = try outbox.stream(for: choice) {
                outgoing.append(
                    try OutgoingTrack(
                        stream,
                        payloadType: choice.payloadType,
                        to: pad,
                        in: pipeline,
                        counters: counters,
                        library: service.configuration.library
                    )
                )
            }
            if let remote, remote.media.indices.contains(index), remote.media[index].sends {
                received[kind] = choice.codec
            }
        }
        service.recorder?.expect(received.keys)
        for (kind, codec) in received { try receive(kind, codec) }
        let streams = outgoing.map(\.stream)
        await outbox.keepOnly(streams)
        for stream in streams { await service.showPreview(of: stream) }
        try Task.checkCancellation()
    }

    private func receive(_ kind: MediaKind, _ codec: Codec) throws {
        let hub = incoming.hub(for: kind)
        service.recorder?.record(hub, kind: kind, codec: codec)
        guard let window = service.configuration.window else { return }
        let library = service.configuration.library
        let warn = { @Sendable [service] (what: String, failure: MediaFailure) in
            service.warn("\(what): \(failure.sentence)")
        }
        switch kind {
        case .audio:
            viewers.append(
                try ViewerStage(playing: hub, library: library) { warn("the peer is not heard", $0) }
            )
        case .video:
            let first = FirstOccurrence { [news] in news.yield(.firstFrame(.video)) }
            viewers.append(
                try ViewerStage(
                    .remote,
                    of: hub,
                    in: window,
                    library: library,
                    onError: { warn("the peer is not seen", $0) },
                    onFrame: { first.happened() }
                )
            )
        }
    }

    /// Lets media flow: ICE and DTLS are up.
    func connect() {
        guard !isConnected else { return }
        isConnected = true
        news.yield(.connected)
        service.localRecorder?.expect(outgoing.map(\.stream.kind))
        for track in outgoing {
            track.start()
            let stream = track.stream
            service.localRecorder?.record(stream.hub, kind: stream.kind, codec: stream.codec)
        }
        do { try outbox.connectionIsUp() } catch { fail(MediaFailure(error)) }
    }

    nonisolated func fail(_ failure: MediaFailure) { news.yield(.failed(failure)) }

    /// Releases the peer connection; source, window and recordings stay.
    ///
    /// Further calls wait for the first one. Goes on where the calling task is cancelled.
    @MediaActor func close() async {
        let task = closing ?? Task { await shutDown() }
        closing = task
        await task.value
    }

    private func shutDown() async {
        for cancel in operations.values { cancel() }
        for watcher in watchers { watcher.cancel() }
        for track in outgoing { track.stop() }
        incoming.close()
        try? pipeline.setState(.null)
        for viewer in viewers { await viewer.close() }
        for watcher in watchers { await watcher.value }
        (watchers, outgoing, viewers) = ([], [], [])
        service.forget(self)
        news.finish()
    }
}
